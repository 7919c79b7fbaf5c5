import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Passkeys of an account")
struct PasskeyTests {
  @Test("A passkey is registered, listed, renamed and removed, and each of it is audited")
  func passkey_life_isAudited() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      let passkey = try await stage.register(authenticator, for: ada)
      #expect(passkey.id.hasPrefix("pky_") && passkey.name == "Phone")
      #expect(passkey.deviceBound && !passkey.backedUp && passkey.attestation == "none")
      #expect(passkey.model == "00000000-0000-0000-0000-000000000000")
      #expect(passkey.transports == ["internal"] && passkey.lastUsedAt == nil)
      _ = try await stage.passkeys.rename(
        .init(passkeyId: passkey.id, name: "Old phone"),
        options: stage.with(ada)
      )
      let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
      #expect(list.passkeys.map(\.name) == ["Old phone"])
      let id = Base64URL.encode(authenticator.credentialID)
      let signal = try stage.options(list.acceptedCredentials)
      #expect(signal["rpId"]?.string == "example.org")
      #expect(signal["allAcceptedCredentialIds"] == [.string(id)])
      let removed = try await stage.passkeys.remove(
        .init(passkeyId: passkey.id),
        options: stage.with(ada)
      )
      #expect(removed.wasRemoved)
      #expect(try stage.options(removed.acceptedCredentials)["allAcceptedCredentialIds"] == [])
      let again = try await stage.passkeys.remove(
        .init(passkeyId: passkey.id),
        options: stage.with(ada)
      )
      #expect(!again.wasRemoved)
      for action in ["passkey.add", "passkey.rename", "passkey.remove"] {
        #expect(try await stage.audited(action) == ["\(action) \(passkey.id)"])
      }
      let handle = try await stage.handle(of: ada)
      #expect(
        await outcome { _ = try await stage.signIn(authenticator, handle: handle) }
          == AuthStage.passkeyRefused
      )
      #expect(stage.lastFault == "credential")
    }
  }

  @Test(
    "A browser is asked for a key that it keeps, that verifies its user, and that it does not have yet"
  )
  func startRegistration_options_areWhatBrowsersTake() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let first = SoftAuthenticator()
      try await stage.register(first, for: ada)
      let started = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      let options = try stage.options(started.options)
      #expect(options["rp"] == ["id": "example.org", "name": "Example"])
      let user = try #require(options["user"]?.object)
      let handle = try #require(user["id"]?.string.flatMap { Base64URL.decode($0) })
      let stored = try await stage.handle(of: ada)
      #expect(handle.count == 32 && handle == stored)
      #expect(user["name"] == "ada@example.org" && user["displayName"] == "Ada")
      let challenge = try #require(options["challenge"]?.string.flatMap { Base64URL.decode($0) })
      #expect(challenge.count == 32)
      let offered = options["pubKeyCredParams"]?.array?.map { $0.object?["alg"]?.integer }
      #expect(offered == [-8, -7, -257])
      #expect(
        options["authenticatorSelection"] == [
          "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
        ]
      )
      #expect(options["attestation"] == "none" && options["timeout"] == 300_000)
      let excluded = options["excludeCredentials"]?.array?.map { $0.object?["id"]?.string }
      #expect(excluded == [Base64URL.encode(first.credentialID)])
      let again = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      #expect(again.ceremonyId != started.ceremonyId)
      #expect(try stage.options(again.options)["challenge"] != options["challenge"])
    }
  }

  @Test("The owner is told of each passkey that comes or goes, without its name")
  func passkey_addedAndRemoved_isMailed() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      _ = try await stage.takeMails()
      let passkey = try await stage.register(SoftAuthenticator(), for: ada, name: "call 0190")
      var mails = try await stage.takeMails()
      #expect(mails.map { $0.headers["Subject"] } == ["A passkey was added to your account"])
      #expect(mails.map(\.recipient) == ["<ada@example.org>"])
      #expect(mails.first?.raw.contains("call 0190") == false)
      for _ in 0..<2 {
        _ = try await stage.passkeys.remove(
          .init(passkeyId: passkey.id),
          options: stage.with(ada)
        )
      }
      mails = try await stage.takeMails()
      #expect(mails.map { $0.headers["Subject"] } == ["A passkey was removed from your account"])
    }
  }

  @Test("A challenge registers once, whatever comes of it, and in time")
  func finishRegistration_ceremony_isBurnt() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      func finish(
        _ change: (SoftAuthenticator.Answer) -> SoftAuthenticator.Answer
      ) async throws -> [String] {
        let authenticator = SoftAuthenticator()
        let started = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
        var answers: [String] = []
        for isChanged in [true, false] {
          let right = try authenticator.answer(started.options)
          let json = authenticator.json(isChanged ? change(right) : right)
          let ended = await outcome {
            _ = try await stage.passkeys.finishRegistration(
              .init(ceremonyId: started.ceremonyId, response: json),
              options: stage.with(ada)
            )
          }
          answers.append(ended == "OK" ? ended : "\(stage.lastFault ?? "")")
          if isChanged, ended != "OK" { #expect(ended == AuthStage.registrationRefused) }
        }
        return answers
      }
      let zeros = [UInt8](repeating: 0, count: 32)
      let untouched: [String] = try await finish { $0 }
      #expect(untouched == ["OK", "ceremony"])
      let challenge = try await finish { $0.with(\.challenge, zeros) }
      #expect(challenge == ["challenge", "ceremony"])
      let unverified = try await finish { $0.with(\.flags, [.userPresent]) }
      #expect(unverified == ["user_verification", "ceremony"])
      let backedUp = try await finish {
        $0.with(\.flags, [.userPresent, .userVerified, .backedUp])
      }
      #expect(backedUp == ["backup_state", "ceremony"])
      let format = try await finish { $0.with(\.format, "tpm") }
      #expect(format == ["attestation_format", "ceremony"])

      let started = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      stage.clock.advance(PasskeyCeremony.lifetime)
      let authenticator = SoftAuthenticator()
      let json = authenticator.json(try authenticator.answer(started.options))
      let late = await outcome {
        _ = try await stage.passkeys.finishRegistration(
          .init(ceremonyId: started.ceremonyId, response: json),
          options: stage.with(ada)
        )
      }
      #expect(late == AuthStage.registrationRefused && stage.lastFault == "expired")
      #expect(try await stage.passkeys.list(.init(), options: stage.with(ada)).passkeys.count == 1)
    }
  }

  @Test("A key that somebody has is nobody else's, and the answer is that of any other refusal")
  func finishRegistration_knownKey_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      for user in [ada, eve] {
        let ended = await outcome { try await stage.register(authenticator, for: user) }
        #expect(ended == AuthStage.registrationRefused && stage.lastFault == "registered")
      }
      let signedIn = try await stage.signIn(authenticator, handle: stage.handle(of: ada))
      #expect(signedIn.user?.id == ada.user?.id)
    }
  }

  @Test("A challenge is good in its session and for its kind")
  func finish_otherSessionOrKind_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let elsewhere = try await stage.signIn()
      let eve = try await stage.signUp("eve@example.org")
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      for other in [elsewhere, eve] {
        let new = SoftAuthenticator()
        let started = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
        let json = new.json(try new.answer(started.options))
        let registered = await outcome {
          _ = try await stage.passkeys.finishRegistration(
            .init(ceremonyId: started.ceremonyId, response: json),
            options: stage.with(other)
          )
        }
        #expect(registered == AuthStage.registrationRefused && stage.lastFault == "owner")
        let step = try await stage.passkeys.startStepUp(.init(), options: stage.with(ada))
        let use = authenticator.json(try authenticator.answer(step.options))
        let raised = await outcome {
          _ = try await stage.passkeys.finishStepUp(
            .init(ceremonyId: step.ceremonyId, response: use),
            options: stage.with(other)
          )
        }
        #expect(raised == AuthStage.passkeyRefused && stage.lastFault == "owner")
      }
      // A step-up's challenge does not sign in, and one for signing in raises no session.
      let step = try await stage.passkeys.startStepUp(.init(), options: stage.with(ada))
      let use = authenticator.json(try authenticator.answer(step.options))
      let signedIn = await outcome {
        _ = try await stage.passkeys.finishSignIn(
          .init(ceremonyId: step.ceremonyId, response: use)
        )
      }
      #expect(signedIn == AuthStage.passkeyRefused && stage.lastFault == "kind")
      let start = try await stage.passkeys.startSignIn(.init())
      let answer = authenticator.json(try authenticator.answer(start.options))
      let raised = await outcome {
        _ = try await stage.passkeys.finishStepUp(
          .init(ceremonyId: start.ceremonyId, response: answer),
          options: stage.with(ada)
        )
      }
      #expect(raised == AuthStage.passkeyRefused && stage.lastFault == "kind")
    }
  }

  @Test("Registering and removing need somebody who proved lately who they are")
  func registrationAndRemoval_old_needAFreshProof() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let passkey = try await stage.register(SoftAuthenticator(), for: ada)
      stage.clock.advance(5 * 60_000 + 1)
      let needed = "UNAUTHENTICATED STEP_UP_REQUIRED"
      let start = await outcome {
        _ = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      }
      let remove = await outcome {
        _ = try await stage.passkeys.remove(
          .init(passkeyId: passkey.id),
          options: stage.with(ada)
        )
      }
      #expect(start == needed && remove == needed)
      _ = try await stage.passkeys.rename(
        .init(passkeyId: passkey.id, name: "x"),
        options: stage.with(ada)
      )
    }
  }

  @Test("Passkeys of others look like none")
  func renameAndRemove_ofOthers_findNothing() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      let passkey = try await stage.register(SoftAuthenticator(), for: ada)
      for id in [passkey.id, "pky_0"] {
        let renamed = await outcome {
          _ = try await stage.passkeys.rename(
            .init(passkeyId: id, name: "x"),
            options: stage.with(eve)
          )
        }
        #expect(renamed == "NOT_FOUND PASSKEY_NOT_FOUND")
        let removed = try await stage.passkeys.remove(
          .init(passkeyId: id),
          options: stage.with(eve)
        )
        #expect(!removed.wasRemoved && removed.acceptedCredentials.isEmpty)
      }
      #expect(try await stage.passkeys.list(.init(), options: stage.with(ada)).passkeys.count == 1)
      #expect(try await stage.passkeys.list(.init(), options: stage.with(eve)).passkeys.isEmpty)
    }
  }

  @Test("An account has at most twenty")
  func register_twentyFirst_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      // Started while there was room.
      let started = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      for _ in 0..<PasskeyRecord.countMax {
        try await stage.register(SoftAuthenticator(), for: ada)
      }
      let full = "FAILED_PRECONDITION TOO_MANY_PASSKEYS"
      let start = await outcome {
        _ = try await stage.passkeys.startRegistration(.init(), options: stage.with(ada))
      }
      let authenticator = SoftAuthenticator()
      let json = authenticator.json(try authenticator.answer(started.options))
      let finish = await outcome {
        _ = try await stage.passkeys.finishRegistration(
          .init(ceremonyId: started.ceremonyId, response: json),
          options: stage.with(ada)
        )
      }
      #expect(start == full && finish == full)
    }
  }

  @Test("Without a relying party there are no passkeys")
  func passkeys_notSetUp_areOff() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let with = stage.with(ada)
      let off = "FAILED_PRECONDITION PASSKEYS_OFF"
      let passkeys = stage.passkeys
      #expect(await outcome { _ = try await passkeys.startSignIn(.init()) } == off)
      #expect(await outcome { _ = try await passkeys.list(.init(), options: with) } == off)
      #expect(
        await outcome { _ = try await passkeys.startRegistration(.init(), options: with) } == off
      )
      #expect(await outcome { _ = try await passkeys.startStepUp(.init(), options: with) } == off)
      #expect(
        await outcome {
          _ = try await passkeys.finishSignIn(.init(ceremonyId: "x", response: "{}"))
        } == off
      )
    }
  }

  @Test(
    "Whoever made the account with somebody's address loses the passkey as its owner resets the password"
  )
  func reset_beforeTheAddressWasProven_removesPasskeys() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let thief = try await stage.signUp()
      let trojan = SoftAuthenticator()
      try await stage.register(trojan, for: thief)
      let handle = try await stage.handle(of: thief)
      let verify = try await stage.takeToken("verify-email", to: "ada@example.org")
      // The owner even clicks the link that came unasked.
      let clicked = await outcome {
        _ = try await stage.accounts.verifyEmail(.init(token: verify))
      }
      #expect(clicked == "UNAUTHENTICATED ACCOUNT_PROOF_REQUIRED")
      let phrase = "another battery staple horse"
      func reset() async throws -> Auth_V1.SignInResponse {
        stage.clock.advance(61_000)
        _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
        let token = try await stage.takeToken("reset-password", to: "ada@example.org")
        _ = try await stage.accounts.resetPassword(.init(token: token, newPassword: phrase))
        return try await stage.signIn(password: phrase)
      }
      let owner = try await reset()
      let gone = await outcome { _ = try await stage.signIn(trojan, handle: handle) }
      #expect(gone == AuthStage.passkeyRefused && stage.lastFault == "credential")
      // What is registered once the address is proven stays.
      let own = SoftAuthenticator()
      try await stage.register(own, for: owner)
      _ = try await reset()
      _ = try await stage.signIn(own, handle: try await stage.handle(of: owner))
    }
  }

  @Test("Taking an address back removes what a thief could have registered")
  func undoEmailChange_removesAllPasskeys() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      _ = try await stage.accounts.verifyEmail(
        .init(token: try await stage.takeToken("verify-email", to: "ada@example.org")),
        options: stage.with(ada)
      )
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      let handle = try await stage.handle(of: ada)
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: AuthStage.password, newEmail: "thief@example.org"),
        options: stage.with(ada)
      )
      _ = try await stage.accounts.confirmEmailChange(
        .init(token: try await stage.takeToken("confirm-email", to: "thief@example.org")),
        options: stage.with(ada)
      )
      _ = try await stage.signIn(authenticator, handle: handle)
      _ = try await stage.accounts.undoEmailChange(
        .init(token: try await stage.takeToken("undo-email", to: "ada@example.org"))
      )
      let gone = await outcome { _ = try await stage.signIn(authenticator, handle: handle) }
      #expect(gone == AuthStage.passkeyRefused)
    }
  }
}
