import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Refreshing")
struct RefreshTests {
  private func generation(_ stage: AuthStage, _ session: String) async throws -> Int64? {
    try await stage.service.core.database.read { tx in
      try tx.first("SELECT generation FROM session WHERE id = ?", .text(session)) { $0.integer(0) }
    }
  }

  @Test("Many refreshes of one token at once make one new generation and one answer")
  func refresh_concurrent_makesOneGeneration() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      for round in 1...3 {
        stage.clock.advance(45_000)
        let current = try #require(
          try await generation(stage, first.sessionId)
        )
        #expect(current == Int64(round))
        let token = stage.service.core.secrets.refreshKeys.token(
          session: first.sessionId,
          generation: UInt32(current)
        )
        let answers = try await withThrowingTaskGroup(of: Auth_V1.Tokens.self) { group in
          for _ in 0..<24 {
            group.addTask {
              try await stage.authentication.refresh(.init(refreshToken: token))
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        #expect(Set(answers.map { $0.accessTokenExpiresAt?.milliseconds }).count == 1)
        #expect(answers.first?.refreshToken != token)
        #expect(try await generation(stage, first.sessionId) == current + 1)
      }
    }
  }

  @Test("A used token that comes back later ends the session, with every token of it")
  func refresh_reuse_endsTheSession() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let second = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      _ = try await stage.users.getMe(.init(), options: stage.with(second))
      stage.clock.advance(30_001)
      let reused = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      }
      #expect(reused == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
      let newest = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: second.refreshToken))
      }
      #expect(newest == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
      let access = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(second))
      }
      #expect(access == "UNAUTHENTICATED CREDENTIALS_INVALID")
      #expect(stage.metric(#"gatehouse_auth_refreshes_total{outcome="reused"}"#) == 1)
    }
  }

  @Test("Using the successor ends its predecessor's grace, even within the thirty seconds")
  func refresh_predecessorAfterSuccessor_isReuse() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let second = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      let again = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      #expect(again.refreshToken == second.refreshToken)
      let third = try await stage.authentication.refresh(.init(refreshToken: second.refreshToken))
      let reused = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      }
      #expect(reused == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
      let last = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: third.refreshToken))
      }
      #expect(last == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
    }
  }

  @Test("Rubbish has no effect, whoever sends it")
  func refresh_rubbish_changesNothing() async throws {
    try await AuthStage.run { stage in
      let tokens = try #require(try await stage.signUp().tokens)
      let other = try #require(RefreshTokenKeys([1: [UInt8](repeating: 9, count: 32)]))
      let rubbish = [
        "x", tokens.refreshToken + "A", String(tokens.refreshToken.dropLast()), tokens.accessToken,
        other.token(session: tokens.sessionId, generation: 0),
        other.token(session: tokens.sessionId, generation: 1),
        String(repeating: "A", count: 512),
      ]
      for token in rubbish {
        let refused = await outcome {
          _ = try await stage.authentication.refresh(.init(refreshToken: token))
        }
        #expect(refused.hasPrefix("UNAUTHENTICATED") || refused.hasPrefix("INVALID_ARGUMENT"))
      }
      _ = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
    }
  }

  @Test("A refresh whose answer was lost in a crash is answered after the restart")
  func refresh_restartAfterCommit_isRepeated() async throws {
    let ground = try AuthStage.Ground()
    let (first, lost) = try await AuthStage.run(on: ground) { stage in
      let first = try #require(try await stage.signUp().tokens)
      return (
        first, try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      )
    }
    ground.clock.advance(20_000)
    try await AuthStage.run(on: ground) { stage in
      let again = try await stage.authentication.refresh(.init(refreshToken: first.refreshToken))
      #expect(again.refreshToken == lost.refreshToken)
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
      _ = try await stage.authentication.refresh(.init(refreshToken: again.refreshToken))
    }
  }

  @Test("Sessions end after thirty days of silence, and after half a year in any case")
  func refresh_afterTheEnd_isRefused() async throws {
    try await AuthStage.run { stage in
      let day: Int64 = 86_400_000
      var tokens = try #require(try await stage.signUp().tokens)
      for _ in 0..<6 {
        stage.clock.advance(29 * day)
        tokens = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      }
      stage.clock.advance(6 * day)
      let old = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      }
      #expect(old == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
      let fresh = try #require(try await stage.signIn().tokens)
      stage.clock.advance(30 * day)
      let idle = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: fresh.refreshToken))
      }
      #expect(idle == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
    }
  }

  @Test("An expired access token does not stand in the way of refreshing")
  func refresh_withExpiredAccessToken_works() async throws {
    try await AuthStage.run { stage in
      let tokens = try #require(try await stage.signUp().tokens)
      stage.clock.advance(3_600_000)
      _ = try await stage.authentication.refresh(
        .init(refreshToken: tokens.refreshToken),
        options: stage.with(tokens)
      )
    }
  }
}
