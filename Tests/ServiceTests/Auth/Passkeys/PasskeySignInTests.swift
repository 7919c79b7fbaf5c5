import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing in with passkeys")
struct PasskeySignInTests {
  @Test("A passkey signs in without a name, and the session says what it proved")
  func signIn_discoverable_beginsASession() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let bound = SoftAuthenticator()
      var synced = SoftAuthenticator()
      synced.isSynced = true
      let registered = try await stage.register(bound, for: ada)
      let copied = try await stage.register(synced, for: ada)
      #expect(!copied.deviceBound && copied.backedUp)
      let handle = try await stage.handle(of: ada)
      stage.clock.advance(60_000)
      for (authenticator, acr, amr) in [
        (bound, "phrh", ["hwk", "user", "mfa"]), (synced, "phr", ["swk", "user", "mfa"]),
      ] {
        let signedIn = try await stage.signIn(authenticator, handle: handle)
        #expect(signedIn.user?.id == ada.user?.id)
        let tokens = try #require(signedIn.tokens)
        let next = try await stage.authentication.refresh(
          .init(refreshToken: tokens.refreshToken)
        )
        for token in [tokens.accessToken, next.accessToken] {
          let claims = try stage.claims(token)
          #expect(claims["acr"]?.string == acr)
          #expect(claims["amr"]?.array?.map(\.string) == amr)
        }
        _ = try await stage.users.getMe(.init(), options: stage.with(signedIn))
      }
      let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
      let used = list.passkeys.first { $0.id == registered.id }?.lastUsedAt
      #expect(used == .init(milliseconds: stage.clock.now))
      #expect(
        stage.metric(
          #"gatehouse_auth_passkey_responses_total{ceremony="sign_in",outcome="done"}"#
        ) == 2
      )
    }
  }

  @Test("Nobody has to be named, but the authenticator has to say whose key it is, and be right")
  func signIn_userHandle_mustOwnTheKey() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      let (hers, other) = (SoftAuthenticator(), SoftAuthenticator())
      try await stage.register(hers, for: ada)
      try await stage.register(other, for: eve)
      // An empty one is as none.
      let handles = [nil, [], [1], try await stage.handle(of: eve)]
      for handle in handles {
        let ended = await outcome { _ = try await stage.signIn(hers, handle: handle) }
        #expect(ended == AuthStage.passkeyRefused && stage.lastFault == "user_handle")
      }
      let right = try await stage.handle(of: ada)
      _ = try await stage.signIn(hers, handle: right)
    }
  }

  @Test("Whoever is named has their passkeys offered, and only those are taken")
  func signIn_named_takesThatAccountsKeys() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      let (hers, other) = (SoftAuthenticator(), SoftAuthenticator())
      try await stage.register(hers, for: ada)
      try await stage.register(other, for: eve)
      let started = try await stage.passkeys.startSignIn(.init(email: "ADA@example.org"))
      let allowed = try stage.options(started.options)["allowCredentials"]?.array
      let ids = allowed?.map { $0.object?["id"]?.string }
      #expect(ids == [Base64URL.encode(hers.credentialID)])
      for handle: [UInt8]? in [nil, []] {
        let signedIn = try await stage.signIn(hers, handle: handle, email: "ada@example.org")
        #expect(signedIn.user?.id == ada.user?.id)
      }
      let handle = try await stage.handle(of: eve)
      for handle in [nil, handle] {
        let ended = await outcome {
          _ = try await stage.signIn(other, handle: handle, email: "ada@example.org")
        }
        #expect(ended == AuthStage.passkeyRefused && stage.lastFault == "credential")
      }
      let wrong = await outcome {
        _ = try await stage.signIn(hers, handle: handle, email: "ada@example.org")
      }
      #expect(wrong == AuthStage.passkeyRefused && stage.lastFault == "user_handle")
      // One that was registered after its account was named was not offered.
      let before = try await stage.passkeys.startSignIn(.init(email: "ada@example.org"))
      stage.clock.advance(1)
      let new = SoftAuthenticator()
      try await stage.register(new, for: ada)
      let json = new.json(try new.answer(before.options))
      let late = await outcome {
        _ = try await stage.passkeys.finishSignIn(
          .init(ceremonyId: before.ceremonyId, response: json)
        )
      }
      #expect(late == AuthStage.passkeyRefused && stage.lastFault == "credential")
    }
  }

  @Test("An address without passkeys has one that is always the same and opens nothing")
  func startSignIn_unknownAddress_getsADecoy() async throws {
    try await AuthStage.runWithPasskeys { stage in
      _ = try await stage.signUp()
      var shapes: Set<Int> = []
      let others = (0..<60).map { "n\($0)@example.org" }
      for email in ["ada@example.org", "nobody@example.org"] + others {
        var seen: [JSONValue] = []
        for spelling in [email, email.uppercased()] {
          let started = try await stage.passkeys.startSignIn(.init(email: spelling))
          let options = try stage.options(started.options)
          let allowed = try #require(options["allowCredentials"]?.array)
          let id = try #require(
            allowed.first?.object?["id"]?.string.flatMap { Base64URL.decode($0) }
          )
          #expect(allowed.count == 1)
          shapes.insert(id.count)
          seen += allowed
          let decoy = SoftAuthenticator(credentialID: id)
          let json = decoy.json(try decoy.answer(started.options))
          let ended = await outcome {
            _ = try await stage.passkeys.finishSignIn(
              .init(ceremonyId: started.ceremonyId, response: json)
            )
          }
          #expect(ended == AuthStage.passkeyRefused && stage.lastFault == "credential")
        }
        #expect(seen.count == 2 && seen[0] == seen[1], "\(email)")
      }
      #expect(shapes == [16, 20, 32])
    }
  }

  @Test("A challenge signs in once, whatever comes of it, and in time")
  func finishSignIn_ceremony_isBurnt() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      let handle = try await stage.handle(of: ada)
      func finish(_ ceremony: String, _ json: String) async -> String {
        let ended = await outcome {
          _ = try await stage.passkeys.finishSignIn(.init(ceremonyId: ceremony, response: json))
        }
        #expect(ended == "OK" || ended == AuthStage.passkeyRefused)
        return ended == "OK" ? ended : stage.lastFault ?? ""
      }
      func start() async throws -> (ceremony: String, answer: SoftAuthenticator.Answer) {
        let started = try await stage.passkeys.startSignIn(.init())
        let answer = try authenticator.answer(started.options).with(\.handle, handle)
        return (started.ceremonyId, answer)
      }
      let replayed = try await start()
      let json = authenticator.json(replayed.answer)
      #expect(await finish(replayed.ceremony, json) == "OK")
      #expect(await finish(replayed.ceremony, json) == "ceremony")
      // What was signed for one challenge is nothing for another.
      let next = try await start()
      #expect(await finish(next.ceremony, json) == "challenge")
      #expect(await finish(next.ceremony, authenticator.json(next.answer)) == "ceremony")
      let garbled = try await start()
      #expect(await finish(garbled.ceremony, "{}") == "response")
      #expect(await finish(garbled.ceremony, authenticator.json(garbled.answer)) == "ceremony")
      let bogus = try await start()
      let forged = bogus.answer.with(\.signer, .generate())
      #expect(await finish(bogus.ceremony, authenticator.json(forged)) == "signature")
      #expect(await finish(bogus.ceremony, authenticator.json(bogus.answer)) == "ceremony")
      let late = try await start()
      stage.clock.advance(PasskeyCeremony.lifetime)
      #expect(await finish(late.ceremony, authenticator.json(late.answer)) == "expired")
      let ahead = try await start()
      stage.clock.jump(-1)
      #expect(await finish(ahead.ceremony, authenticator.json(ahead.answer)) == "expired")
      #expect(await finish("AAAA", json) == "ceremony")
    }
  }

  @Test("A counter that falls signs in, is told, and keeps the higher value")
  func signIn_fallenCounter_isFlagged() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      let passkey = try await stage.register(authenticator, for: ada) { $0.with(\.signCount, 5) }
      let handle = try await stage.handle(of: ada)
      func signIn(_ count: UInt32) async throws -> Bool {
        _ = try await stage.signIn(authenticator, handle: handle) { $0.with(\.signCount, count) }
        let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
        return list.passkeys.first?.copySuspectedAt != nil
      }
      let rises = try await signIn(6)
      let falls = try await signIn(6)
      #expect(!rises && falls)
      #expect(try await stage.audited("passkey.counter") == ["passkey.counter_fell \(passkey.id)"])
      #expect(stage.metric("gatehouse_auth_passkey_counters_fallen_total") == 1)
      #expect(stage.sink.lines.contains { $0.contains("may have been copied") })
      _ = try await signIn(7)
      #expect(stage.metric("gatehouse_auth_passkey_counters_fallen_total") == 1)
    }
  }

  @Test("A key that turns out to be copied to other devices proves less from then on")
  func signIn_becomesSynced_isTaken() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      let handle = try await stage.handle(of: ada)
      let signedIn = try await stage.signIn(authenticator, handle: handle) {
        $0.with(\.flags, [.userPresent, .userVerified, .backupEligible, .backedUp])
      }
      let claims = try stage.claims(signedIn.tokens?.accessToken ?? "")
      #expect(claims["acr"]?.string == "phr")
      let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
      #expect(list.passkeys.first?.deviceBound == false && list.passkeys.first?.backedUp == true)
    }
  }

  @Test("A device that is not known is told of, and one that is known is not")
  func signIn_newDevice_isTold() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      _ = try await stage.takeMails()
      let handle = try await stage.handle(of: ada)
      let signedIn = try await stage.signIn(authenticator, handle: handle)
      let mails = try await stage.takeMails()
      #expect(mails.map { $0.headers["Subject"] } == ["New sign-in to your account"])
      let started = try await stage.passkeys.startSignIn(.init())
      let answer = try authenticator.answer(started.options).with(\.handle, handle)
      _ = try await stage.passkeys.finishSignIn(
        .init(
          ceremonyId: started.ceremonyId,
          response: authenticator.json(answer),
          deviceToken: signedIn.deviceToken
        )
      )
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test("Who asks for too many challenges has to wait")
  func start_tooOften_isRefused() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.rules.countsLoopback = true
    ground.settings.sourceLimits.signIns = 3
    ground.settings.sourceLimits.accountSignIns = 2
    try await AuthStage.runWithPasskeys(on: ground) { stage in
      let ada = try await stage.signUp()
      for _ in 0..<3 { _ = try await stage.passkeys.startSignIn(.init()) }
      let source = await outcome { _ = try await stage.passkeys.startSignIn(.init()) }
      #expect(source == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS")
      for _ in 0..<2 {
        _ = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      }
      let account = await outcome {
        _ = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      }
      #expect(account == "RESOURCE_EXHAUSTED ACCOUNT_SIGNS_IN_TOO_OFTEN")
    }
  }
}
