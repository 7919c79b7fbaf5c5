import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Stepping up with passkeys")
struct PasskeyStepUpTests {
  @Test("A session is raised: its tokens say so, and what needs a fresh proof works again")
  func stepUp_session_isRaised() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada)
      stage.clock.advance(6 * 60_000)
      let raised = try await stage.stepUp(authenticator, ada)
      #expect(raised.acr == "phrh")
      let claims = try stage.claims(raised.token)
      #expect(claims["acr"]?.string == "phrh")
      #expect(claims["auth_time"]?.integer == stage.clock.now / 1000)
      #expect(claims["sid"]?.string == ada.tokens?.sessionId)
      let options = CallOptions(metadata: ["authorization": "Bearer \(raised.token)"])
      _ = try await stage.passkeys.startRegistration(.init(), options: options)
      let next = try await stage.authentication.refresh(
        .init(refreshToken: try #require(ada.tokens).refreshToken)
      )
      #expect(try stage.claims(next.accessToken)["acr"]?.string == "phrh")
      #expect(
        try await stage.audited("session.step_up")
          == ["session.step_up \(ada.tokens?.sessionId ?? "")"]
      )
    }
  }

  @Test("Only the caller's own keys raise a session")
  func stepUp_otherKeys_areRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let eve = try await stage.signUp("eve@example.org")
      let (hers, other) = (SoftAuthenticator(), SoftAuthenticator())
      let none = await outcome { _ = try await stage.stepUp(hers, ada) }
      #expect(none == "FAILED_PRECONDITION NO_PASSKEY")
      try await stage.register(hers, for: ada)
      try await stage.register(other, for: eve)
      let handle = try await stage.handle(of: eve)
      let foreign = await outcome {
        _ = try await stage.stepUp(other, ada) { $0.with(\.handle, handle) }
      }
      #expect(foreign == AuthStage.passkeyRefused && stage.lastFault == "credential")
      let wrong = await outcome {
        _ = try await stage.stepUp(hers, ada) { $0.with(\.handle, handle) }
      }
      #expect(wrong == AuthStage.passkeyRefused && stage.lastFault == "user_handle")
      let untouched = await outcome {
        _ = try await stage.stepUp(hers, ada) { $0.with(\.flags, [.userVerified]) }
      }
      #expect(untouched == AuthStage.passkeyRefused && stage.lastFault == "user_presence")
      #expect(try await stage.audited("session.step_up").isEmpty)
    }
  }

  @Test(
    "A key that may have been copied raises nothing, and that is remembered although the call fails"
  )
  func stepUp_fallenCounter_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      let passkey = try await stage.register(authenticator, for: ada) { $0.with(\.signCount, 9) }
      let ended = await outcome {
        _ = try await stage.stepUp(authenticator, ada) { $0.with(\.signCount, 8) }
      }
      #expect(ended == AuthStage.passkeyRefused && stage.lastFault == "counter")
      #expect(try await stage.audited("passkey.counter") == ["passkey.counter_fell \(passkey.id)"])
      let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
      #expect(list.passkeys.first?.copySuspectedAt != nil)
      #expect(try await stage.audited("session.step_up").isEmpty)
    }
  }

  @Test(
    "A session that ended meanwhile is not raised, and a passkey that was removed meanwhile raises none"
  )
  func stepUp_endedMeanwhile_isRefused() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      let passkey = try await stage.register(authenticator, for: ada)
      let started = try await stage.passkeys.startStepUp(.init(), options: stage.with(ada))
      _ = try await stage.passkeys.remove(
        .init(passkeyId: passkey.id),
        options: stage.with(ada)
      )
      let json = authenticator.json(try authenticator.answer(started.options))
      let ended = await outcome {
        _ = try await stage.passkeys.finishStepUp(
          .init(ceremonyId: started.ceremonyId, response: json),
          options: stage.with(ada)
        )
      }
      #expect(ended == AuthStage.passkeyRefused && stage.lastFault == "credential")
      // Removed between the check and the write.
      let record = PasskeyRecord(
        id: "pky_gone",
        credentialID: [1],
        userID: try #require(ada.user?.id),
        publicKey: [],
        signCount: 0,
        isBackupEligible: false,
        isBackedUp: false,
        transports: [],
        model: [],
        attestation: .none,
        relyingParty: "example.org",
        name: "",
        isAddressProven: false,
        created: 0
      )
      let core = stage.service.core
      let late = await outcome {
        try await core.store.writeOwn { tx in
          guard let user = try UserTable.find(record.userID, in: tx),
            let basis = try UserTable.basis(of: record.userID, in: tx)
          else { return }
          let use = ProvenUse(flags: [.userPresent], signCount: 0)
          let proven = ProvenPasskey(
            passkey: record,
            use: use,
            begun: 0,
            user: user,
            basis: basis
          )
          _ = try PasskeysHandler.settle(proven, now: 0, in: tx)
        }
      }
      #expect(late == AuthStage.passkeyRefused)
    }
  }
}
