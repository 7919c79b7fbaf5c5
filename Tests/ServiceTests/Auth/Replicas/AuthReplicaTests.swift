import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

/// Two AuthServices that serve one store.
@Suite(.enabled(if: TestServer.isUsed, "needs a server of PostgreSQL"), .timeLimit(.minutes(3)))
struct AuthReplicaTests {
  @Test("Who signs up at one replica signs in at the other, and each has the other's tokens count")
  func account_ofOne_signsInAtTheOther() async throws {
    try await AuthStage.runReplicas { replicas in
      for round in 0..<4 {
        let (here, there) = (replicas[round % 2], replicas[1 - round % 2])
        let email = "ada\(round)@example.org"
        let up = try await here.signUp(email)
        let back = try await there.signIn(email)
        #expect(back.user?.id == up.user?.id)
        _ = try await there.users.getMe(.init(), options: there.with(up))
        _ = try await here.users.getMe(.init(), options: here.with(back))
      }
    }
  }

  @Test("One address that signs up at both at once has one account")
  func signUp_atBothAtOnce_makesOneAccount() async throws {
    try await AuthStage.runReplicas { replicas in
      for round in 0..<4 {
        let email = "ada\(round)@example.org"
        let outcomes = await withTaskGroup(of: String.self) { group in
          for replica in replicas {
            for _ in 0..<2 {
              group.addTask { await outcome { _ = try await replica.signUp(email) } }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.contains("OK"), "\(outcomes)")
      }
      let accountCount = try await Self.count("account", replicas[0])
      #expect(accountCount == 4)
    }
  }

  @Test("A session that ends at one replica ends at the other, and those who watch that hear of it")
  func session_revoked_endsAtTheOther() async throws {
    try await AuthStage.runReplicas { replicas in
      let (here, there) = (replicas[0], replicas[1])
      var watch = Auth_V1.KeysClient(there.tenancyChannel).watchRevocations(.init())
        .makeAsyncIterator()
      var event = try await watch.next()
      while let other = event, other.kind != .snapshotEnd { event = try await watch.next() }
      for _ in 0..<3 {
        let signedIn = try await Self.signIn(here)
        _ = try await there.users.getMe(.init(), options: there.with(signedIn))
        _ = try await here.authentication.signOut(.init(), options: here.with(signedIn))
        repeat { event = try await watch.next() } while event?.kind == .heartbeat
        #expect(event?.kind == .session && event?.sessionId == signedIn.tokens?.sessionId)
        // It counts before those who watch are woken.
        let refused = await outcome {
          _ = try await there.users.getMe(.init(), options: there.with(signedIn))
        }
        #expect(refused == "UNAUTHENTICATED CREDENTIALS_INVALID")
      }
    }
  }

  @Test("Refreshes of one token at both replicas at once make one successor, and lose no session")
  func refresh_atBothAtOnce_makesOneSuccessor() async throws {
    try await AuthStage.runReplicas { replicas in
      var token = try #require(try await replicas[0].signUp().tokens?.refreshToken)
      for _ in 0..<8 {
        replicas[0].clock.advance(45_000)
        let answers = try await withThrowingTaskGroup(of: Auth_V1.Tokens.self) { group in
          for replica in replicas {
            for _ in 0..<8 {
              group.addTask { [token] in
                try await replica.authentication.refresh(.init(refreshToken: token))
              }
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        let successor = try #require(answers.first)
        #expect(successor.refreshToken != token)
        for replica in replicas {
          _ = try await replica.users.getMe(.init(), options: replica.with(successor))
        }
        token = successor.refreshToken
      }
    }
  }

  @Test("Wrong passwords count together, at whichever replica they are tried; sources count apart")
  func failures_countTogether() async throws {
    var ground = try AuthStage.Ground()
    // Five are free, of an account; a source may try as often at each program.
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.failures = 6
    try await AuthStage.runReplicas(on: ground) { replicas in
      _ = try await replicas[0].signUp()
      for attempt in 0..<Int(AttemptCounter.freeCount) {
        let refused = await outcome {
          _ = try await replicas[attempt % 2].signIn(password: "guess guess \(attempt)")
        }
        #expect(refused == "UNAUTHENTICATED INVALID_CREDENTIALS")
      }
      // The right one comes too early now, at both.
      for replica in replicas {
        let early = await outcome { _ = try await replica.signIn() }
        #expect(early == "UNAUTHENTICATED INVALID_CREDENTIALS")
      }
      replicas[0].clock.advance(2000)
      _ = try await replicas[1].signIn()
      func triesLeft(_ replica: AuthStage) async -> Int {
        var count = 0
        while count < 10 {
          let answer = await outcome {
            _ = try await replica.signIn("nobody\(count)@example.org", password: "guess guess")
          }
          guard answer == "UNAUTHENTICATED INVALID_CREDENTIALS" else { break }
          count += 1
        }
        return count
      }
      let left = [await triesLeft(replicas[0]), await triesLeft(replicas[1])]
      // Together they would have one left, after five.
      #expect(left.allSatisfy { $0 > 0 }, "\(left)")
    }
  }

  private static func signIn(_ stage: AuthStage) async throws -> Auth_V1.SignInResponse {
    do { return try await stage.signIn() } catch { return try await stage.signUp() }
  }

  private static func count(_ table: String, _ stage: AuthStage) async throws -> Int64? {
    try await stage.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM \(table)") { $0.integer(0) }
    }
  }
}
