import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

/// What one of two AuthServices does for both.
@Suite(.enabled(if: TestServer.isUsed, "needs a server of PostgreSQL"), .timeLimit(.minutes(3)))
struct AuthLeaderTests {
  private static let sent = #"gatehouse_auth_mail_attempts_total{outcome="sent"}"#

  @Test("Mails of both replicas are sent once, by the one that leads; when it stops the other does")
  func mails_areSentByTheLeader() async throws {
    try await AuthStage.runReplicas { replicas in
      try await running(replicas) {
        let follower = try #require(try await AuthReplicaKeyTests.follower(of: replicas))
        let leader = try #require(replicas.first { $0.service.core.database.isLeading })
        for number in 0..<6 {
          _ = try await replicas[number % 2].signUp("ada\(number)@example.org")
        }
        #expect(await leader.eventually { leader.metric(Self.sent) == 6 })
        #expect(follower.metric(Self.sent) == 0)
        #expect(try await Self.attempts(follower) == [1, 1, 1, 1, 1, 1])
        // What is queued while nobody leads is sent by who leads then.
        await leader.service.core.database.close()
        _ = try await follower.signUp("eve@example.org")
        #expect(await follower.eventually { follower.metric(Self.sent) == 1 })
        #expect(follower.service.core.database.isLeading)
        #expect(leader.metric(Self.sent) == 6)
        #expect(try await Self.attempts(follower) == [Int64](repeating: 1, count: 7))
      }
    }
  }

  @Test("Old rows are deleted by the replica that leads alone")
  func rows_areDeletedByTheLeader() async throws {
    var ground = try AuthStage.Ground()
    ground.holdsTimers = true
    try await AuthStage.runReplicas(on: ground) { replicas in
      try await running(replicas) {
        let follower = try #require(try await AuthReplicaKeyTests.follower(of: replicas))
        let leader = try #require(replicas.first { $0.service.core.database.isLeading })
        _ = await outcome { _ = try await leader.signIn("nobody@example.org") }
        #expect(try await Self.attemptCount(follower) > 0)
        let end = try await AuthReplicaKeyTests.end(follower)
        leader.clock.advance(SigningKeyRotation.standard.period * 2)
        // What the other one does once a minute is done, and that is no deletion.
        let isSeen = try await follower.loops.loops[0].eventually {
          follower.timers?.fire()
          return try await AuthReplicaKeyTests.end(follower) > end
        }
        #expect(isSeen)
        #expect(try await Self.attemptCount(follower) > 0)
        let isDeleted = try await leader.loops.loops[0].eventually {
          leader.timers?.fire()
          return try await Self.attemptCount(leader) == 0
        }
        #expect(isDeleted)
      }
    }
  }

  private static func attempts(_ stage: AuthStage) async throws -> [Int64] {
    try await stage.service.core.database.read { tx in
      try tx.query("SELECT attempts FROM mail") { $0.integer(0) }
    }
  }

  private static func attemptCount(_ stage: AuthStage) async throws -> Int64 {
    try await stage.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM attempt") { $0.integer(0) } ?? 0
    }
  }
}
