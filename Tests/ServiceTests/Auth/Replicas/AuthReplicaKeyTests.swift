import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

/// Signing keys of two AuthServices that serve one store.
@Suite(.enabled(if: TestServer.isUsed, "needs a server of PostgreSQL"), .timeLimit(.minutes(3)))
struct AuthReplicaKeyTests {
  private static let rotation = SigningKeyRotation.standard

  @Test("A token by a key that another replica has just made is good: unknown keys are looked for")
  func key_unknown_isLookedFor() async throws {
    // Neither runs what looks after keys by itself.
    try await AuthStage.runReplicas { replicas in
      let (here, there) = (replicas[0], replicas[1])
      _ = try await here.signUp()
      here.clock.advance(Self.rotation.period - Self.rotation.lead)
      try await here.service.maintain()
      here.clock.advance(Self.rotation.lead)
      let signedIn = try await here.signIn()
      #expect(try await Self.names(here).count == 2)
      #expect(try await Self.names(there).count == 1)
      _ = try await there.users.getMe(.init(), options: there.with(signedIn))
      #expect(try await Self.names(there) == Self.names(here))
      // And what it signs itself from now on is by the new key.
      let other = try await there.signIn()
      _ = try await here.users.getMe(.init(), options: here.with(other))
    }
  }

  @Test("A key that one replica makes is published by the other within moments")
  func key_made_isPublishedByTheOther() async throws {
    try await AuthStage.runReplicas { replicas in
      try await running(replicas) {
        for round in 0..<2 {
          replicas[0].clock.advance(Self.rotation.period)
          try await replicas[round].service.maintain()
          let made = try await Self.names(replicas[round])
          let isSeen = try await replicas[0].loops.loops[0].eventually {
            try await Self.names(replicas[1 - round]) == made
          }
          #expect(isSeen)
        }
      }
    }
  }

  @Test("A replica that does not lead looks now and then until when keys are good")
  func keys_areReadNowAndThen() async throws {
    var ground = try AuthStage.Ground()
    ground.holdsTimers = true
    try await AuthStage.runReplicas(on: ground) { replicas in
      try await running(replicas) {
        let follower = try #require(try await Self.follower(of: replicas))
        for _ in 0..<2 {
          let end = try await Self.end(follower)
          // Nobody has made another key by then, so this one goes on signing.
          follower.clock.advance(Self.rotation.period * 2)
          // The first time it may be the look at the start.
          let isLater = try await follower.loops.loops[0].eventually {
            follower.timers?.fire()
            return try await Self.end(follower) > end
          }
          #expect(isLater)
        }
        #expect(!follower.service.core.database.isLeading)
      }
    }
  }

  /// The replica that does not lead, once one does.
  static func follower(of replicas: [AuthStage]) async throws -> AuthStage? {
    let leads = { replicas.contains { $0.service.core.database.isLeading } }
    #expect(await replicas[0].eventually { leads() })
    return replicas.first { !$0.service.core.database.isLeading }
  }

  private static func names(_ stage: AuthStage) async throws -> [String] {
    try await stage.keys.getKeySet(.init()).keys.map(\.keyId)
  }

  /// Until when keys are good.
  static func end(_ stage: AuthStage) async throws -> Int64 {
    let keys = try await stage.keys.getKeySet(.init()).keys
    return keys.compactMap { $0.expiresAt?.milliseconds }.max() ?? 0
  }
}

/// Has services do what they do beside calls while `body` runs.
func running(_ replicas: [AuthStage], _ body: () async throws -> Void) async throws {
  let work = replicas.map { replica in Task { await replica.service.run() } }
  let result: Result<Void, any Error>
  do { result = .success(try await body()) } catch { result = .failure(error) }
  for task in work { task.cancel() }
  for task in work { await task.value }
  try result.get()
}
