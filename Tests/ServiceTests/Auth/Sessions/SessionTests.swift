import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Sessions, keys and revocations")
struct SessionTests {
  private let unauthenticated = "UNAUTHENTICATED CREDENTIALS_INVALID"

  @Test("A list shows the user's own sessions, newest first, and which one asks")
  func list_sessions_areOwn() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp()
      _ = try await stage.signUp("eve@example.org")
      stage.clock.advance(1000)
      let second = try await stage.signIn()
      let listed = try await stage.sessions.list(.init(), options: stage.with(first)).sessions
      #expect(listed.map(\.id) == [second, first].map { $0.tokens?.sessionId })
      #expect(listed.map(\.current) == [false, true])
      #expect(listed.last?.device?.name == "Ada's phone")
      #expect(listed.last?.network == "127.0.0.0/24")
    }
  }

  @Test(
    "Finding a user's living sessions looks at no session that was ended, however many there are",
    .disabled(if: TestServer.isUsed, "reads SQLite's plan"),
    arguments: [SessionTable.findAlive, SessionTable.findLastSeen]
  )
  func alive_endedSessions_areNotLookedAt(find: String) async throws {
    try await AuthStage.run { stage in
      let plan = try await stage.service.core.database.read { tx in
        try tx.query(
          "EXPLAIN QUERY PLAN \(find)",
          .text("usr_1"),
          .integer(0),
          .integer(0)
        ) { $0.text(3) }
      }
      #expect(plan == ["SEARCH session USING INDEX session_alive (user_id=?)"])
    }
  }

  @Test("Ending one, the others, and all sessions refuses their tokens at once")
  func revoke_eachWay_isImmediate() async throws {
    try await AuthStage.run { stage in
      let answers = [
        try await stage.signUp(), try await stage.signIn(), try await stage.signIn(),
        try await stage.signIn(),
      ]
      func state(_ index: Int) async -> String {
        await outcome {
          _ = try await stage.users.getMe(.init(), options: stage.with(answers[index]))
        }
      }
      let own = stage.with(answers[0])
      let sessionID = try #require(answers[1].tokens?.sessionId)
      #expect(
        try await stage.sessions.revoke(.init(sessionId: sessionID), options: own).revoked == 1
      )
      #expect(await state(1) == unauthenticated)
      #expect(await state(2) == "OK")
      #expect(
        try await stage.sessions.revoke(.init(sessionId: sessionID), options: own).revoked == 0
      )
      #expect(try await stage.sessions.revokeOthers(.init(), options: own).revoked == 2)
      #expect(await state(2) == unauthenticated)
      #expect(await state(3) == unauthenticated)
      #expect(await state(0) == "OK")
      #expect(try await stage.sessions.revokeAll(.init(), options: own).revoked == 1)
      #expect(await state(0) == unauthenticated)
      let again = try await stage.signIn()
      _ = try await stage.authentication.signOut(.init(), options: stage.with(again))
      let out = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(again))
      }
      #expect(out == unauthenticated)
    }
  }

  @Test("Another user's session looks like one that never was")
  func revoke_foreignSession_isNotFound() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      for id in [try #require(ada.tokens?.sessionId), "ses_unknown"] {
        let refused = await outcome {
          _ = try await stage.sessions.revoke(.init(sessionId: id), options: stage.with(eve))
        }
        #expect(refused == "NOT_FOUND SESSION_NOT_FOUND")
      }
      _ = try await stage.users.getMe(.init(), options: stage.with(ada))
    }
  }

  @Test("The eleventh session ends the one that was idle longest")
  func signIn_eleventh_evictsOldest() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp()
      stage.clock.advance(1000)
      let second = try await stage.signIn()
      // Refreshed, the first is no longer the one that was idle longest.
      stage.clock.advance(1000)
      let refresh = try #require(first.tokens?.refreshToken)
      let renewed = try await stage.authentication.refresh(.init(refreshToken: refresh))
      for _ in 0..<9 {
        stage.clock.advance(1000)
        _ = try await stage.signIn()
      }
      let evicted = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(second))
      }
      #expect(evicted == unauthenticated)
      let listed = try await stage.sessions.list(.init(), options: stage.with(renewed))
      #expect(listed.sessions.count == 10)
    }
  }

  @Test("A session that makes room is named in the audit log and in a mail; refreshing ends none")
  func eviction_isNamed() async throws {
    try await AuthStage.run { stage in
      var tokens = try #require(try await stage.signUp().tokens)
      for number in 2...10 {
        stage.clock.advance(1000)
        let device = Auth_V1.Device(name: "device \(number)", model: "model \(number)")
        _ = try await stage.authentication.signIn(
          .init(email: "ada@example.org", password: AuthStage.password, device: device)
        )
      }
      // Pages that are loaded again keep their session.
      for _ in 0..<20 {
        stage.clock.advance(1000)
        tokens = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      }
      #expect(try await stage.audited("session.evict").isEmpty)
      let sessions = try await stage.sessions.list(.init(), options: stage.with(tokens)).sessions
      let oldest = try #require(sessions.first { $0.device?.name == "device 2" })
      _ = try await stage.takeMails()
      stage.clock.advance(3_600_000)
      let eleventh = try await stage.signIn()
      #expect(try await stage.audited("session.evict") == ["session.evict \(oldest.id)"])
      let detail = try await stage.service.core.database.read { tx in
        try tx.first("SELECT detail FROM audit_log WHERE action = 'session.evict'") { $0.text(0) }
      }
      #expect(detail == "by \(eleventh.tokens?.sessionId ?? "")")
      let mails = try await stage.takeMails().filter {
        $0.headers["Subject"] == "A session of your account was ended"
      }
      #expect(mails.count == 1)
      #expect(mails.first?.text.contains("Device: device 2, model 2") == true)
    }
  }

  @Test("A changed password ends every other session, and only the new one signs in")
  func changePassword_others_end() async throws {
    try await AuthStage.run { stage in
      let here = try await stage.signUp()
      let there = try await stage.signIn()
      let new = "another good password"
      let wrong = await outcome {
        _ = try await stage.users.changePassword(
          .init(currentPassword: "guess guess", newPassword: new),
          options: stage.with(here)
        )
      }
      #expect(wrong == "UNAUTHENTICATED INVALID_CREDENTIALS")
      let weak = await outcome {
        _ = try await stage.users.changePassword(
          .init(currentPassword: AuthStage.password, newPassword: "password1"),
          options: stage.with(here)
        )
      }
      #expect(weak == "INVALID_ARGUMENT PASSWORD_COMMON")
      let answer = try await stage.users.changePassword(
        .init(currentPassword: AuthStage.password, newPassword: new),
        options: stage.with(here)
      )
      #expect(answer.revokedSessions == 1)
      let ended = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(there))
      }
      #expect(ended == unauthenticated)
      _ = try await stage.users.getMe(.init(), options: stage.with(here))
      let old = await outcome { _ = try await stage.signIn() }
      #expect(old == "UNAUTHENTICATED INVALID_CREDENTIALS")
      _ = try await stage.signIn(password: new)
    }
  }

  @Test("Each method lets in whom its declaration names, and nobody else")
  func methods_callers_areThoseDeclared() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let id = try #require(up.tokens?.sessionId)
      let user = stage.with(up)
      let services = Auth_V1.SessionsClient(stage.tenancyChannel)
      #expect(try await services.introspect(.init(sessionId: id)).active)
      #expect(try await !services.introspect(.init(sessionId: "ses_unknown")).active)
      let asUser = await outcome {
        _ = try await stage.sessions.introspect(.init(sessionId: id), options: user)
      }
      #expect(asUser == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
      let asNobody = await outcome { _ = try await stage.sessions.introspect(.init(sessionId: id)) }
      #expect(asNobody == unauthenticated)
      let serviceAlone = await outcome { _ = try await services.list(.init()) }
      #expect(serviceAlone == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
      #expect(try await services.list(.init(), options: user).sessions.count == 1)
      let nobody = await outcome { _ = try await stage.users.getMe(.init()) }
      #expect(nobody == unauthenticated)
      let access = try #require(up.tokens?.accessToken)
      for metadata in [
        ["authorization": access], ["authorization": "Basic \(access)"],
        ["authorization": "Bearer"], ["authorization": "Bearer \(access) "],
        ["service-authorization": "Bearer \(access)"],
        ["authorization": "Bearer \(access)", "Authorization": "Bearer \(access)"],
      ] as [Metadata] {
        let refused = await outcome {
          _ = try await stage.users.getMe(.init(), options: .init(metadata: metadata))
        }
        #expect(refused == unauthenticated)
      }
      let summaries = try await Auth_V1.UsersClient(stage.tenancyChannel).batchGet(
        .init(userIds: ["usr_unknown", try #require(up.user?.id)])
      )
      #expect(summaries.users.map(\.displayName) == ["Ada"])
    }
  }

  @Test("Another service hears of a revocation, and asks when it cannot hear")
  func feed_revocation_isHeardOrAsked() async throws {
    try await AuthStage.run { stage in
      let revokedBefore = try await stage.signUp()
      let up = try await stage.signIn()
      let other = try await stage.signIn()
      _ = try await stage.authentication.signOut(.init(), options: stage.with(revokedBefore))
      let loop = stage.loops.next()
      let logger = Logger(label: "tenancy", level: .trace, sink: stage.sink)
      let keys = KeySetSource(.init(stage.tenancyChannel), loop: loop, logger: logger)
      func feed() -> RevocationFeed {
        RevocationFeed(
          keys: .init(stage.tenancyChannel),
          sessions: .init(stage.tenancyChannel),
          loop: loop,
          clock: stage.clock,
          logger: logger
        )
      }
      let (heard, deaf) = (feed(), feed())
      let signedOut = Lock<Set<String>>([])
      heard.onRevocation { user in signedOut.withLock { _ = $0.insert(user) } }
      func fault(
        _ answer: Auth_V1.SignInResponse,
        _ feed: RevocationFeed
      ) async -> TokenFault? {
        let authenticator = AccessTokenAuthenticator(
          verifier: AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse"),
          keys: keys,
          revocations: feed,
          clock: stage.clock
        )
        do throws(TokenFault) {
          let outcome = try await authenticator.authenticate(answer.tokens?.accessToken ?? "")
          #expect(outcome.isSessionKnown)
          return nil
        } catch {
          return error
        }
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await keys.run() }
        group.addTask { await heard.run() }
        #expect(await stage.eventually { keys.isLoaded && heard.isLive })
        #expect(heard.count == 1, "what was revoked before is in the snapshot")
        #expect((heard.lag ?? .seconds(60)) < .seconds(10))
        #expect(deaf.lag == nil, "it never heard anything")
        RevocationMetrics.register(heard, in: stage.registry)
        let lines = String(decoding: stage.registry.render(), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("gatehouse_service_revocation_feed_live 1"))
        #expect(lines.contains("gatehouse_service_revocations_known 1"))
        let lag = #"gatehouse_service_watch_lag_seconds{watch="revocations"} "#
        #expect(lines.contains { $0.hasPrefix(lag) })
        #expect(await fault(revokedBefore, heard) == .revoked)
        // Whoever keeps something of a user hears whose session ended.
        #expect(signedOut.withLock { $0 } == [up.user?.id ?? ""])
        #expect(await fault(up, heard) == nil)
        #expect(await fault(up, deaf) == nil)
        #expect(
          await outcome {
            _ = try await stage.authentication.signOut(.init(), options: stage.with(up))
          } == "OK"
        )
        #expect(await stage.eventually { heard.count == 2 })
        #expect(await fault(up, heard) == .revoked)
        #expect(!deaf.isLive)
        #expect(await fault(up, deaf) == .revoked)
        #expect(await fault(other, deaf) == nil)
        group.cancelAll()
      }
    }
  }

  @Test("While AuthService cannot be asked, the state of a session is unknown and not good")
  func feed_authDown_isUnknown() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let sink = CollectingSink()
    try await withChannel("tcp://127.0.0.1:1", .init(loops: loops)) { channel in
      let feed = RevocationFeed(
        keys: .init(channel),
        sessions: .init(channel),
        loop: loops.next(),
        clock: ManualClock(),
        logger: Logger(label: "t", level: .trace, sink: sink)
      )
      let claims = AccessClaims(
        userID: "usr_1",
        sessionID: "ses_1",
        tokenID: "t",
        issued: 0,
        expires: 1,
        acr: "pwd",
        methods: [],
        authenticated: 0
      )
      #expect(await feed.state(of: claims) == .unknown)
      #expect(await feed.state(of: claims) == .unknown)
      // Trying to open the stream is not hearing of it.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await feed.run() }
        // An attempt was made by then, and said to have failed.
        while !sink.lines.contains(where: { $0.contains("push stream lost") }) {
          await Task.yield()
        }
        group.cancelAll()
      }
      #expect(feed.lag == nil)
      #expect(!feed.isLive)
    }
  }

  @Test("Keys are published before they sign, and their tokens are good until they end")
  func keys_overMonths_rotate() async throws {
    try await AuthStage.run { stage in
      func published() async throws -> [String] {
        try await stage.keys.getKeySet(.init()).keys.map(\.keyId)
      }
      let first = try await published()
      #expect(first.count == 1)
      let up = try await stage.signUp()
      let refresh = try #require(up.tokens?.refreshToken)
      stage.clock.advance(30 * 86_400_000 - 600_000)
      try await stage.service.maintain()
      let both = try await published()
      #expect(both.count == 2)
      #expect(both.first == first.first)
      // Published, and not signing yet.
      let before = try await stage.signIn()
      #expect(stage.service.core.ring.signer?.id == first.first)
      stage.clock.advance(600_000 - 30_000)
      let late = try await stage.signIn()
      stage.clock.advance(30_000)
      #expect(stage.service.core.ring.signer?.id == both.last)
      stage.clock.advance(31_000)
      _ = try await stage.users.getMe(.init(), options: stage.with(late))
      let over = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(before))
      }
      #expect(over == unauthenticated)
      let after = try await stage.signIn()
      _ = try await stage.users.getMe(.init(), options: stage.with(after))
      stage.clock.advance(2 * 3_600_000)
      try await stage.service.maintain()
      #expect(try await published() == [both.last])
      let idle = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: refresh))
      }
      #expect(idle == "UNAUTHENTICATED REFRESH_TOKEN_INVALID", "thirty days have gone")
    }
  }

  @Test("Keys, sessions and revocations outlive a restart; another sealing key does not open them")
  func restart_state_isKept() async throws {
    var ground = try AuthStage.Ground()
    let (kept, revoked) = try await AuthStage.run(on: ground) { stage in
      let kept = try await stage.signUp()
      let revoked = try await stage.signIn()
      _ = try await stage.authentication.signOut(.init(), options: stage.with(revoked))
      return (kept, revoked)
    }
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.users.getMe(.init(), options: stage.with(kept))
      let refused = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(revoked))
      }
      #expect(refused == unauthenticated)
    }
    ground.secrets = AuthSecrets.generate(SystemRandomSource())
    let error = await #expect(throws: SigningKeyRing.UnreadableKey.self) {
      try await AuthStage.run(on: ground) { _ in }
    }
    #expect(error?.description.hasPrefix("setting secrets: ") == true)
    #expect(
      error?.description.hasSuffix("restore the secrets file that belongs to the store") == true
    )
  }

  @Test("Defaults follow the roles, and the user may choose among what it sees")
  func defaults_rolesChange_follow() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let (user, options) = (try #require(up.user?.id), stage.with(up))
      stage.peers.give(user, "owner", on: "prt_1", "portfolio")
      stage.peers.give(user, "owner", on: "prt_2", "portfolio")
      #expect(try await stage.users.getMe(.init(), options: options).defaultPortfolioId == "prt_1")
      let chosen = try await stage.users.setDefaults(
        .init(portfolioId: "prt_2"),
        options: options
      )
      #expect(chosen.defaultPortfolioId == "prt_2")
      let foreign = await outcome {
        _ = try await stage.users.setDefaults(.init(propertyId: "prp_9"), options: options)
      }
      #expect(foreign == "NOT_FOUND DEFAULT_NOT_FOUND")
      stage.peers.change { $0.inherited.insert("\(user)/prp_9") }
      let inherited = try await stage.users.setDefaults(
        .init(propertyId: "prp_9"),
        options: options
      )
      #expect(inherited.defaultPropertyId == "prp_9")
      stage.peers.change { state in
        state.inherited = []
        state.associations[user]?.removeAll { $0.entityId == "prt_2" }
      }
      let after = try await stage.users.getMe(.init(), options: options)
      #expect(after.defaultPortfolioId == "")
      #expect(after.defaultPropertyId == "")
      let cleared = try await stage.users.setDefaults(.init(portfolioId: ""), options: options)
      #expect(cleared.defaultPortfolioId == "")
      // What the service chose by itself is recorded like what the user chose; looking changes nothing.
      _ = try await stage.users.getMe(.init(), options: options)
      let records = try await stage.service.core.database.read { tx in
        try tx.query(
          """
          SELECT action || ' ' || actor, before_digest IS DISTINCT FROM after_digest FROM audit_log
          WHERE object = ? AND action IN ('user.follow_roles', 'user.set_defaults') ORDER BY sequence
          """,
          .text(user)
        ) { [$0.text(0), "\($0.integer(1))"] }
      }
      #expect(
        records.map { $0[0] }
          == [
            "user.follow_roles", "user.set_defaults", "user.set_defaults", "user.follow_roles",
          ].map { "\($0) user:\(user)" }
      )
      #expect(records.allSatisfy { $0[1] == "1" })
    }
  }

  @Test("A profile changes in what is given and stays otherwise")
  func updateProfile_someFields_keepsOthers() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let changed = try await stage.users.updateProfile(
        .init(firstName: "Augusta"),
        options: stage.with(up)
      )
      #expect(changed.displayName == "Ada")
      #expect(changed.firstName == "Augusta")
      let request = Auth_V1.UpdateProfileRequest(lastName: "King", idempotencyKey: "k")
      let first = try await stage.users.updateProfile(request, options: stage.with(up))
      stage.clock.advance(1000)
      _ = try await stage.users.updateProfile(
        .init(lastName: "Lovelace"),
        options: stage.with(up)
      )
      let repeated = try await stage.users.updateProfile(request, options: stage.with(up))
      #expect(repeated == first)
      #expect(
        try await stage.users.getMe(.init(), options: stage.with(up)).lastName == "Lovelace"
      )
      let empty = await outcome {
        _ = try await stage.users.updateProfile(.init(displayName: ""), options: stage.with(up))
      }
      #expect(empty == "INVALID_ARGUMENT FIELD_VIOLATIONS")
    }
  }
}
