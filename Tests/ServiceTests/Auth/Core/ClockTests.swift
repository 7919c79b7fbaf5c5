import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Clocks that are set wrong, and set right again")
struct ClockTests {
  private let day: Int64 = 86_400_000
  private let minute: Int64 = 60_000
  private let unauthenticated = "UNAUTHENTICATED CREDENTIALS_INVALID"

  private func getMe(_ stage: AuthStage, _ answer: Auth_V1.SignInResponse) async -> String {
    await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(answer)) }
  }

  @Test("A clock that was ahead at the first start keeps nobody out when it is set right")
  func signIn_clockWasAheadAtFirstStart_works() async throws {
    try await AuthStage.run { stage in
      let ahead = try #require(try await stage.signUp().tokens)
      stage.clock.jump(-365 * day)
      #expect(stage.service.core.ring.signer == nil)
      // All at once, and they make one key.
      let answers = try await withThrowingTaskGroup(of: Auth_V1.SignInResponse.self) { group in
        for _ in 0..<4 { group.addTask { try await stage.signIn() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for answer in answers { #expect(await getMe(stage, answer) == "OK") }
      let published = try await stage.keys.getKeySet(.init()).keys
      #expect(published.count == 2)
      #expect(stage.service.readiness().isReady)
      _ = try await stage.signUp("eve@example.org")
      // The session of the future continues as well.
      _ = try await stage.authentication.refresh(.init(refreshToken: ahead.refreshToken))
    }
  }

  @Test("A clock that is centuries ahead serves as any other")
  func signIn_clockCenturiesAhead_works() async throws {
    for ahead in [250 * 365 * day, 8_000 * 365 * day] {
      try await AuthStage.run { stage in
        stage.clock.jump(ahead)
        try await stage.service.maintain()
        let answer = try await stage.signUp()
        #expect(await getMe(stage, answer) == "OK")
        #expect(await getMe(stage, try await stage.signIn()) == "OK")
      }
    }
  }

  @Test("The same with a restart in between, and in the middle of a run")
  func signIn_clockWasAheadAtAnyTime_works() async throws {
    let ground = try AuthStage.Ground()
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp()
      stage.clock.jump(400 * day)
      try await stage.service.maintain()
      stage.clock.advance(20 * minute)
      _ = try await stage.signIn()
    }
    ground.clock.jump(-400 * day)
    try await AuthStage.run(on: ground) { stage in
      let answer = try await stage.signIn()
      #expect(await getMe(stage, answer) == "OK")
      // Set back too far, and right again: nothing of the present was given up.
      stage.clock.jump(-400 * day)
      try await stage.service.maintain()
      _ = try await stage.signIn()
      stage.clock.jump(400 * day)
      try await stage.service.maintain()
      #expect(await getMe(stage, answer) == "OK")
      let again = try await stage.signIn()
      #expect(await getMe(stage, again) == "OK")
    }
  }

  @Test(
    "Without a key nothing is written that the caller is not told of",
    .disabled(if: TestServer.isUsed, "a trigger of SQLite fails it")
  )
  func writes_noSigningKey_areNotBegun() async throws {
    try await AuthStage.run { stage in
      let tokens = try #require(try await stage.signUp().tokens)
      let database = stage.service.core.database
      func rows() async throws -> [Int64] {
        try await database.read { tx in
          try tx.query(
            """
            SELECT generation FROM session UNION ALL SELECT count(*) FROM session
            UNION ALL SELECT count(*) FROM account
            """
          ) { $0.integer(0) }
        }
      }
      let before = try await rows()
      try await database.write { tx in
        try tx.execute(
          """
          CREATE TRIGGER no_key BEFORE INSERT ON signing_key
          BEGIN SELECT RAISE(ABORT, 'no key'); END
          """
        )
      }
      // No key is from before this.
      stage.clock.jump(-10 * minute)
      let none = "UNAVAILABLE NO_SIGNING_KEY"
      let refresh = { @Sendable in
        await outcome {
          _ = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
        }
      }
      #expect(await refresh() == none)
      #expect(await outcome { _ = try await stage.signIn() } == none)
      #expect(await outcome { _ = try await stage.signUp("eve@example.org") } == none)
      #expect(try await rows() == before)
      #expect(!stage.service.readiness().isReady)
      // Long after the grace: the token was never used.
      stage.clock.advance(5 * minute)
      try await database.write { tx in try tx.execute("DROP TRIGGER no_key") }
      #expect(await refresh() == "OK")
      #expect(stage.metric(#"gatehouse_auth_refreshes_total{outcome="reused"}"#) == 0)
    }
  }

  @Test("A repeated refresh is signed by the key of the first answer, though another signs by now")
  func refresh_repeatedAfterRotation_isGood() async throws {
    try await AuthStage.run { stage in
      let day = day
      var tokens = try #require(try await stage.signUp().tokens)
      stage.clock.advance(29 * day)
      tokens = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      stage.clock.advance(day - 10 * minute)
      try await stage.service.maintain()
      stage.clock.advance(10 * minute - 1)
      let first = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      stage.clock.advance(30_000)
      let again = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      func keyID(_ tokens: Auth_V1.Tokens) throws -> String {
        try JSONWebToken(parsing: tokens.accessToken).keyID
      }
      #expect(try keyID(again) == keyID(first))
      #expect(again.refreshToken == first.refreshToken)
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
    }
  }

  @Test(
    "What was revoked stays so through a year that was not, restarts and new listeners included"
  )
  func revocation_clockAheadAndBack_stays() async throws {
    let ground = try AuthStage.Ground()
    let (revoked, alive, kept) = try await AuthStage.run(on: ground) { stage in
      let revoked = try await stage.signUp()
      let alive = try await stage.signIn()
      _ = try await stage.authentication.signOut(.init(), options: stage.with(revoked))
      stage.clock.jump(365 * day)
      for _ in 0..<3 {
        stage.clock.advance(minute)
        try await stage.service.maintain()
      }
      return (revoked, alive, try await stage.signIn())
    }
    // Started while the clock is wrong.
    let listener = try await AuthStage.run(on: ground) { stage in
      try await stage.service.maintain()
      let listener = try await feed(on: stage)
      stage.clock.jump(-365 * day)
      #expect(await getMe(stage, revoked) == unauthenticated)
      #expect(await getMe(stage, alive) == "OK")
      return listener
    }
    #expect(listener.count == 1)
    #expect(await listener.state(of: claims(of: revoked)) == .revoked)
    // And started when it is right again.
    try await AuthStage.run(on: ground) { stage in
      try await stage.service.maintain()
      #expect(await getMe(stage, revoked) == unauthenticated)
      #expect(await getMe(stage, alive) == "OK")
      _ = try await stage.authentication.refresh(
        .init(refreshToken: try #require(kept.tokens?.refreshToken))
      )
    }
  }

  @Test("A token of an hour that was not yet stays revoked when that hour comes")
  func revocation_tokenOfTheFuture_stays() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      stage.clock.jump(60 * minute)
      let future = try await stage.signIn()
      let refreshed = try await stage.authentication.refresh(
        .init(refreshToken: try #require(future.tokens?.refreshToken))
      )
      stage.clock.jump(-60 * minute)
      // With the right clock its newest token is an ordinary one, and the older ones are not forgotten.
      _ = try await stage.authentication.refresh(.init(refreshToken: refreshed.refreshToken))
      let present = try await stage.signIn()
      _ = try await stage.sessions.revokeOthers(.init(), options: stage.with(present))
      for _ in 0..<61 {
        stage.clock.advance(minute)
        try await stage.service.maintain()
      }
      #expect(await getMe(stage, future) == unauthenticated)
      let listener = try await feed(on: stage)
      #expect(await listener.state(of: claims(of: future)) == .revoked)
      // When the last of them has ended, it is forgotten.
      for _ in 0..<20 {
        stage.clock.advance(minute)
        try await stage.service.maintain()
      }
      let rest = try await stage.service.core.database.read { tx in
        try tx.first("SELECT count(*) FROM revocation") { $0.integer(0) }
      }
      #expect(rest == 0)
    }
  }

  @Test("Sessions and counts of guesses outlive a year that was not")
  func maintain_clockAheadAndBack_keepsRows() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp()
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      stage.clock.jump(365 * day)
      try await stage.service.maintain()
      stage.clock.jump(-365 * day)
      #expect(await getMe(stage, answer) == "OK")
      let refused = await outcome { _ = try await stage.signIn() }
      #expect(refused == "UNAUTHENTICATED INVALID_CREDENTIALS")
      _ = try await stage.authentication.refresh(
        .init(refreshToken: try #require(answer.tokens?.refreshToken))
      )
    }
  }

  private func claims(of answer: Auth_V1.SignInResponse) -> AccessClaims {
    AccessClaims(
      userID: answer.user?.id ?? "",
      sessionID: answer.tokens?.sessionId ?? "",
      tokenID: "t",
      issued: 0,
      expires: 0,
      acr: "pwd",
      methods: [],
      authenticated: 0
    )
  }

  /// What another service knows that begins to listen now, when it has been told everything.
  private func feed(on stage: AuthStage) async throws -> RevocationFeed {
    let feed = RevocationFeed(
      keys: .init(stage.tenancyChannel),
      sessions: .init(stage.tenancyChannel),
      loop: stage.loops.next(),
      clock: stage.clock,
      logger: Logger(label: "tenancy", level: .trace, sink: stage.sink)
    )
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await feed.run() }
      #expect(await stage.eventually { feed.isLive })
      group.cancelAll()
    }
    return feed
  }
}
