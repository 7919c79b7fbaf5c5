import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Repeating a refresh by its attempt")
struct RefreshAttemptTests {
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 86_400_000
  private let attempt = "c1r8Qk2vX9mPzL5tYw3hAg"
  private let other = "Zb7nUe4jK0sDxR6fVq1oHi"
  private let ended = "UNAUTHENTICATED REFRESH_TOKEN_INVALID"

  private func refresh(
    _ stage: AuthStage,
    _ tokens: Auth_V1.Tokens,
    _ attempt: String = ""
  ) async throws -> Auth_V1.Tokens {
    try await stage.authentication.refresh(
      .init(refreshToken: tokens.refreshToken, attempt: attempt)
    )
  }

  private func refusal(
    _ stage: AuthStage,
    _ tokens: Auth_V1.Tokens,
    _ attempt: String = ""
  ) async -> String {
    await outcome { _ = try await refresh(stage, tokens, attempt) }
  }

  @Test(
    "The parent of an unused generation is taken by age and attempt",
    arguments: [
      // Made with an attempt: without it, and with another one, as ever.
      (0, [1], nil, .repeated), (0, [1], [2], .repeated), (0, [1], [1], .repeated),
      (30_000, [1], nil, .repeated), (30_001, [1], nil, .reused), (30_001, [1], [2], .reused),
      (30_001, [1], [1], .repeated), (day, [1], [1], .repeated), (day + 1, [1], [1], .reused),
      (day, [1], nil, .reused), (day, [1], [1, 1], .reused),
      // Made without: an attempt that is named later proves nothing.
      (30_000, nil, [1], .repeated), (30_001, nil, [1], .reused), (30_001, nil, nil, .reused),
      // By a clock that was ahead.
      (-30_000, [1], [1], .repeated), (-30_001, [1], [1], .reused), (.min, [1], [1], .reused),
    ] as [(Int64, [UInt8]?, [UInt8]?, RefreshState.Outcome)]
  )
  func parent_byAgeAndAttempt(
    _ age: Int64,
    _ first: [UInt8]?,
    _ shown: [UInt8]?,
    _ expected: RefreshState.Outcome
  ) {
    let rotated: Int64 = 2_000_000_000
    let lifetimes = SessionLifetimes(idle: .max, absolute: .max, countMax: 3)
    let state = RefreshState(
      generation: 5,
      rotated: rotated,
      idleEnd: .max,
      absoluteEnd: .max,
      isRevoked: false,
      attempt: first
    )
    let now = rotated.addingSaturated(age)
    var parent = state
    #expect(parent.take(4, attempt: shown, now: now, lifetimes: lifetimes) == expected)
    #expect(parent.repeatCount == (expected == .repeated ? 1 : 0))
    #expect(parent.isRevoked == (expected == .reused))
    // Its own parent is never taken, and neither is it once the successor was used.
    var grandparent = state
    #expect(grandparent.take(3, attempt: shown, now: now, lifetimes: lifetimes) == .reused)
    var used = state
    #expect(used.take(5, attempt: [9], now: now, lifetimes: lifetimes) == .rotated)
    #expect(used.attempt == [9])
    let isLate = first != nil && shown == first
    #expect(
      used.take(4, attempt: shown, now: now, lifetimes: lifetimes)
        == (isLate ? .overtaken : .reused)
    )
    #expect(used.isRevoked == !isLate)
  }

  @Test("After 40 seconds only the same attempt gets the successor; another ends the session")
  func repeat_after40Seconds_needsTheAttempt() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      stage.clock.advance(Self.hour)
      let lost = try await refresh(stage, first, attempt)
      stage.clock.advance(40_000)
      let again = try await refresh(stage, first, attempt)
      #expect(again.refreshToken == lost.refreshToken)
      #expect(again.sessionId == lost.sessionId)
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
      #expect(
        try await stage.audited("session.refresh")
          == ["session.refresh_repeated \(first.sessionId)"]
      )
      #expect(await refusal(stage, first, other) == ended)
      #expect(await refusal(stage, again, other) == ended)
      #expect(
        await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(again)) }
          == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
    }
  }

  @Test("A late repetition has an access token of its own, which ends with the session")
  func repeat_late_hasLivingAccessToken() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let lost = try await refresh(stage, first, attempt)
      stage.clock.advance(30_000)
      let soon = try await refresh(stage, first, attempt)
      #expect(soon.refreshToken == lost.refreshToken)
      #expect(soon.accessTokenExpiresAt == lost.accessTokenExpiresAt)
      stage.clock.advance(20 * Self.hour)
      let late = try await refresh(stage, first, attempt)
      #expect(late.refreshToken == lost.refreshToken)
      _ = try await stage.users.getMe(.init(), options: stage.with(late))
      let newest = try await stage.service.core.database.read { tx in
        try tx.first("SELECT newest_issue FROM session") { $0.integer(0) }
      }
      #expect(newest == stage.clock.now)
      _ = try await stage.authentication.signOut(.init(), options: stage.with(late))
      #expect(
        await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(late)) }
          == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
    }
  }

  @Test("After a day the attempt is worth nothing, and the session ends")
  func repeat_old_endsTheSession() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let second = try await refresh(stage, first, attempt)
      stage.clock.advance(Self.day + 1)
      #expect(await refusal(stage, first, attempt) == ended)
      #expect(await refusal(stage, second, other) == ended)
    }
  }

  @Test("A refresh that is carried out after its caller has refreshed elsewhere ends nothing")
  func refresh_late_isOvertaken() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let second = try await refresh(stage, first, attempt)
      let third = try await refresh(stage, second, other)
      #expect(await refusal(stage, first, attempt) == ended)
      #expect(stage.metric(#"gatehouse_auth_refreshes_total{outcome="overtaken"}"#) == 1)
      #expect(try await stage.audited("session.refresh").isEmpty)
      // Its answer is lost, and is repeated as ever.
      let fourth = try await refresh(stage, third, attempt)
      stage.clock.advance(Self.hour)
      #expect(await refusal(stage, second, other) == ended)
      let again = try await refresh(stage, third, attempt)
      #expect(again.refreshToken == fourth.refreshToken)
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
    }
  }

  @Test("An old token with no attempt, or with one that did not use it, ends the session")
  func refresh_ofAnotherAttempt_endsTheSession() async throws {
    for stolen in ["", other, "Hq7nUe4jK0sDxR6fVq1oHi"] {
      try await AuthStage.run { stage in
        let first = try #require(try await stage.signUp().tokens)
        let second = try await refresh(stage, first, attempt)
        let third = try await refresh(stage, second, other)
        #expect(await refusal(stage, first, stolen) == ended)
        #expect(await refusal(stage, third, attempt) == ended)
      }
    }
  }

  @Test("Attempts are known of four generations, with those made without one among them")
  func earlierAttempts_byGeneration() {
    let attempts: [[UInt8]?] = [[1], nil, [3], [4], [5], [6]].map { $0.map(Self.digest) }
    var earlier = EarlierAttempts()
    for (count, attempt) in attempts.enumerated() {
      earlier.add(attempt)
      #expect(EarlierAttempts(stored: earlier.stored) == earlier)
      for (number, known) in attempts.enumerated() where number <= count {
        let isKept = count - number < EarlierAttempts.countMax
        #expect(earlier.contains(known, ofGeneration: count - number) == (known != nil && isKept))
        #expect(!earlier.contains(known, ofGeneration: count - number + 1))
        #expect(!earlier.contains(Self.digest([9]), ofGeneration: count - number))
      }
    }
    #expect(earlier.stored?.count == EarlierAttempts.countMax * EarlierAttempts.byteCount)
    #expect(!earlier.contains(Self.digest([6]), ofGeneration: -1))
    var without = EarlierAttempts()
    without.add(nil)
    #expect(without.stored == nil)
    #expect(!without.contains(nil, ofGeneration: 0))
    #expect(!without.contains([UInt8](repeating: 0, count: 32), ofGeneration: 0))
    #expect(EarlierAttempts(stored: [1, 2, 3]) == EarlierAttempts())
  }

  private static func digest(_ bytes: [UInt8]) -> [UInt8] { Digests.sha256(bytes) }

  @Test("Many repetitions at once get one successor, also where it is used in between")
  func repeat_concurrent_isOneSuccessor() async throws {
    try await AuthStage.run { stage in
      for round in 0..<10 {
        let first = try #require(try await stage.signUp("ada\(round)@example.org").tokens)
        let lost = try await refresh(stage, first, attempt)
        stage.clock.advance(Self.hour)
        let answers = try await withThrowingTaskGroup(of: Auth_V1.Tokens.self) { group in
          for _ in 0..<24 { group.addTask { try await refresh(stage, first, attempt) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.refreshToken)) == [lost.refreshToken])
        async let used = refusal(stage, lost, other)
        async let repeated = refusal(stage, first, attempt)
        // Repeated first, then used; or used first, and then an old token came back.
        #expect([["OK", "OK"], ["OK", ended]].contains(await [used, repeated]))
      }
    }
  }

  @Test("A refresh that was lost in a crash is repeated most of a day later")
  func repeat_afterRestart_isAnswered() async throws {
    let ground = try AuthStage.Ground()
    let (first, lost) = try await AuthStage.run(on: ground) { stage in
      let first = try #require(try await stage.signUp().tokens)
      return (first, try await refresh(stage, first, attempt))
    }
    ground.clock.advance(20 * Self.hour)
    try await AuthStage.run(on: ground) { stage in
      let again = try await refresh(stage, first, attempt)
      #expect(again.refreshToken == lost.refreshToken)
      _ = try await refresh(stage, again, other)
    }
  }

  @Test("The hundred-and-first repetition is refused, and ends nothing")
  func repeat_tooOften_isRefused() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      let second = try await refresh(stage, first, attempt)
      for _ in 0..<RefreshState.repeatCountMax { _ = try await refresh(stage, first, attempt) }
      let refused = await refusal(stage, first, attempt)
      #expect(refused == "RESOURCE_EXHAUSTED REFRESH_REPEATED_TOO_OFTEN")
      #expect(stage.metric(#"gatehouse_auth_refreshes_total{outcome="repeatedTooOften"}"#) == 1)
      let third = try await refresh(stage, second, other)
      // Counted for each generation.
      stage.clock.advance(Self.hour)
      #expect(try await refresh(stage, second, other).refreshToken == third.refreshToken)
    }
  }

  @Test("An attempt that is short, long, not base 64 or not random is refused and uses nothing up")
  func attempt_bad_isRefused() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      for (bad, reason) in [
        (String(attempt.dropLast()), "FIELD_VIOLATIONS"),
        (String(repeating: attempt, count: 6), "FIELD_VIOLATIONS"),
        ("c1r8Qk2vX9mPzL5tYw3hAg==", "FIELD_VIOLATIONS"),
        ("c1r8Qk2vX9mPzL5tYw3hA/", "FIELD_VIOLATIONS"),
        (String(repeating: "a", count: 22), "ATTEMPT_TOO_SIMPLE"),
        ("00000000-0000-0000-0000-000000012345", "ATTEMPT_TOO_SIMPLE"),
      ] {
        let refused = await refusal(stage, first, bad)
        #expect(refused == "INVALID_ARGUMENT \(reason)", "\(bad)")
      }
      #expect(await refusal(stage, first, "00000000-0000-0000-0000-000001234567") == "OK")
    }
  }

  @Test("The store has no attempt that could be sent")
  func attempt_inTheStore_isDigested() async throws {
    try await AuthStage.run { stage in
      let first = try #require(try await stage.signUp().tokens)
      _ = try await refresh(stage, first, attempt)
      let stored = try await stage.service.core.database.read { tx in
        try tx.first("SELECT attempt FROM session") { $0.optionalBlob(0) }
      }
      #expect(stored??.count == Digests.byteCount)
      #expect(stored != Digests.sha256(attempt))
    }
  }
}
