import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Links from mails prove an address, and nobody's account")
struct AddressProofTests {
  private static let email = "ada@example.org"
  private static let newPassword = "another battery staple horse"
  private static let asked = "UNAUTHENTICATED ACCOUNT_PROOF_REQUIRED"
  private static let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"

  private func me(_ stage: AuthStage, _ user: Auth_V1.SignInResponse) async throws -> Auth_V1.User {
    try await stage.users.getMe(.init(), options: stage.with(user))
  }

  private func verify(
    _ stage: AuthStage,
    _ token: String,
    password: String = ""
  ) async -> String {
    await outcome {
      _ = try await stage.accounts.verifyEmail(.init(token: token, password: password))
    }
  }

  private func disown(_ stage: AuthStage, _ token: String) async -> String {
    await outcome { _ = try await stage.accounts.disownEmail(.init(token: token)) }
  }

  @Test("A verification without a session asks for the account's password, and ends nothing then")
  func verify_withoutSession_asksForThePassword() async throws {
    try await AuthStage.run { stage in
      let phone = try await stage.signUp()
      let token = try await stage.takeToken("verify-email", to: Self.email)
      #expect(await verify(stage, token) == Self.asked)
      #expect(await verify(stage, token, password: "not the password") == Self.refused)
      #expect(try await me(stage, phone).emailVerified == false)
      for _ in 0..<2 {
        #expect(await verify(stage, token, password: AuthStage.password) == "OK")
      }
      // The phone on which the account was made stays signed in.
      #expect(try await me(stage, phone).emailVerified)
      #expect(await verify(stage, token) == "OK")
    }
  }

  @Test("A passkey of the account proves as much, and one of another account nothing")
  func verify_withPasskey_isProof() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let (ada, eve) = (try await stage.signUp(), try await stage.signUp("eve@example.org"))
      let mails = try await stage.takeMails()
      let token = try #require(mails.first { $0.recipient == "<\(Self.email)>" }?.link?.token)
      for (user, expected) in [(eve, AuthStage.passkeyRefused), (ada, "OK")] {
        let authenticator = SoftAuthenticator()
        try await stage.register(authenticator, for: user)
        let started = try await stage.passkeys.startSignIn(.init())
        var answer = try authenticator.answer(started.options)
        answer.handle = try await stage.handle(of: user)
        let response = authenticator.json(answer)
        let found = await outcome {
          _ = try await stage.accounts.verifyEmail(
            .init(
              token: token,
              ceremonyId: started.ceremonyId,
              passkeyResponse: response
            )
          )
        }
        #expect(found == expected)
      }
      #expect(try await me(stage, ada).emailVerified)
    }
  }

  @Test("A wrong password beside a link is counted and hashed as at a sign-in")
  func verify_wrongPasswords_areCounted() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      let token = try await stage.takeToken("verify-email", to: Self.email)
      let hashes = { stage.metric("gatehouse_auth_password_hash_seconds_count") }
      _ = await stage.eventually { hashes() == 1 }
      for _ in 0..<5 {
        #expect(await verify(stage, token, password: "guess guess") == Self.refused)
      }
      #expect(await verify(stage, token, password: AuthStage.password) == Self.refused)
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      _ = await stage.eventually { hashes() == 8 }
      #expect(hashes() == 8)
      stage.clock.advance(1000)
      #expect(await verify(stage, token, password: AuthStage.password) == "OK")
      // And a right one clears the count.
      _ = try await stage.signIn()
    }
  }

  @Test("Whoever did not make the account takes their address off it, and it keeps all else")
  func disown_unprovenAddress_isFree() async throws {
    try await AuthStage.run { stage in
      let stranger = try await stage.signUp()
      _ = try await stage.users.updateSettings(
        .init(settings: #"{"theme": "dark"}"#),
        options: stage.with(stranger)
      )
      let token = try await stage.takeToken("verify-email", to: Self.email)
      for _ in 0..<2 { #expect(await disown(stage, token) == "OK") }
      #expect(
        try await stage.audited("email.disown") == ["email.disown \(stranger.user?.id ?? "")"]
      )
      // Nobody signs in by the address, nor by what stands in its place.
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      for text in ["", "NONE \(stranger.user?.id ?? "")", stranger.user?.id ?? ""] {
        #expect(await outcome { _ = try await stage.signIn(text) } != "OK", "\(text)")
      }
      let owner = try await stage.signUp(password: Self.newPassword)
      #expect(owner.user?.id != stranger.user?.id)
      #expect(
        await verify(stage, token, password: AuthStage.password)
          == "INVALID_ARGUMENT MAIL_TOKEN_INVALID"
      )
      let left = try await me(stage, stranger)
      #expect(left.email.isEmpty && !left.emailVerified && left.settings.contains("dark"))
    }
  }

  @Test("An account that lost its address gets another one with its password, and no mail before")
  func disown_holder_movesToAnotherAddress() async throws {
    try await AuthStage.run { stage in
      let bob = try await stage.signUp()
      let token = try await stage.takeToken("verify-email", to: Self.email)
      #expect(await disown(stage, token) == "OK")
      let none = await outcome {
        _ = try await stage.accounts.requestEmailVerification(.init(), options: stage.with(bob))
      }
      #expect(none == "FAILED_PRECONDITION ADDRESS_MISSING")
      try await stage.changePassword(bob, to: Self.newPassword)
      #expect(try await stage.takeMails().isEmpty)
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: Self.newPassword, newEmail: "bob@example.org"),
        options: stage.with(bob)
      )
      let change = try await stage.takeToken("confirm-email", to: "bob@example.org")
      _ = try await stage.accounts.confirmEmailChange(
        .init(token: change),
        options: stage.with(bob)
      )
      let back = try await stage.signIn("bob@example.org", password: Self.newPassword)
      #expect(back.user?.id == bob.user?.id && back.user?.emailVerified == true)
      #expect(stage.metric("gatehouse_auth_mails_dead") == 0)
    }
  }

  @Test("A proven address is not taken off an account, and neither is one by a token that is none")
  func disown_provenAddress_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let token = try await stage.takeToken("verify-email", to: Self.email)
      #expect(await verify(stage, token, password: AuthStage.password) == "OK")
      // A new mail would help nobody.
      #expect(await disown(stage, token) == "FAILED_PRECONDITION ADDRESS_PROVEN")
      stage.clock.advance(61_000)
      // Asked for while the address was unproven, and used later.
      let eve = try await stage.signUp("eve@example.org")
      let first = try await stage.takeToken("verify-email", to: "eve@example.org")
      _ = try await stage.accounts.requestPasswordReset(.init(email: "eve@example.org"))
      let reset = try await stage.takeToken("reset-password", to: "eve@example.org")
      _ = try await stage.accounts.resetPassword(
        .init(token: reset, newPassword: Self.newPassword),
        options: stage.with(eve)
      )
      #expect(await disown(stage, first) == "FAILED_PRECONDITION ADDRESS_PROVEN")
      #expect(await disown(stage, "x") == "INVALID_ARGUMENT MAIL_TOKEN_INVALID")
      #expect(try await me(stage, ada).email == Self.email)
    }
  }

  @Test("A reset as the first proof makes a new account, and lets nobody into the old one")
  func reset_unprovenAddress_makesANewAccount() async throws {
    try await AuthStage.run { stage in
      let stranger = try await stage.signUp()
      _ = try await stage.users.updateSettings(
        .init(settings: #"{"theme": "dark"}"#),
        options: stage.with(stranger)
      )
      _ = try await stage.takeMails()
      _ = try await stage.accounts.requestPasswordReset(.init(email: Self.email))
      let mail = try #require(try await stage.takeMails().first)
      #expect(mail.text.contains("a new, empty account"))
      let request = Auth_V1.ResetPasswordRequest(
        token: try #require(mail.link?.token),
        newPassword: Self.newPassword,
        idempotencyKey: "once"
      )
      for _ in 0..<2 {
        let answer = try await stage.accounts.resetPassword(request)
        #expect(answer.newAccount && answer.revokedSessions == 1)
      }
      let owner = try await stage.signIn(password: Self.newPassword)
      #expect(owner.user?.id != stranger.user?.id)
      #expect(owner.user?.emailVerified == true && owner.user?.displayName == "")
      #expect(owner.user?.settings.contains("dark") == false)
      #expect(
        await outcome { _ = try await me(stage, stranger) } == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      // What was in the old account is still there, and an operator finds it.
      let old = try await stage.service.core.store.read { tx in
        try UserTable.find(stranger.user?.id ?? "", in: tx)
      }
      #expect(old?.email == "" && old?.profile.settings.contains("dark") == true)
      // The next reset is an ordinary one.
      stage.clock.advance(61_000)
      _ = try await stage.accounts.requestPasswordReset(.init(email: Self.email))
      let again = try await stage.takeToken("reset-password", to: Self.email)
      let second = try await stage.accounts.resetPassword(
        .init(token: again, newPassword: AuthStage.password)
      )
      #expect(!second.newAccount)
      #expect(try await stage.signIn().user?.id == owner.user?.id)
    }
  }

  @Test("A reset in a session of the account keeps the account")
  func reset_inASession_keepsTheAccount() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.takeMails()
      _ = try await stage.accounts.requestPasswordReset(.init(email: Self.email))
      let token = try await stage.takeToken("reset-password", to: Self.email)
      let answer = try await stage.accounts.resetPassword(
        .init(token: token, newPassword: Self.newPassword),
        options: stage.with(ada)
      )
      #expect(!answer.newAccount && answer.revokedSessions == 1)
      let back = try await stage.signIn(password: Self.newPassword)
      #expect(back.user?.id == ada.user?.id && back.user?.emailVerified == true)
    }
  }

  @Test("Whoever reads the mail of a new address does not give it to somebody else's account")
  func confirm_withoutSession_asksForThePassword() async throws {
    try await AuthStage.run { stage in
      let stranger = try await stage.signUp("eve@example.org")
      _ = try await stage.takeMails()
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: AuthStage.password, newEmail: Self.email),
        options: stage.with(stranger)
      )
      let token = try await stage.takeToken("confirm-email", to: Self.email)
      func confirm(_ password: String = "") async -> String {
        await outcome {
          _ = try await stage.accounts.confirmEmailChange(.init(token: token, password: password))
        }
      }
      #expect(await confirm() == Self.asked)
      #expect(await confirm("not the password") == Self.refused)
      #expect(try await me(stage, stranger).email == "eve@example.org")
      for _ in 0..<2 { #expect(await confirm(AuthStage.password) == "OK") }
      #expect(try await me(stage, stranger).email == Self.email)
    }
  }

  @Test("An address that was never proven is told nothing of where the account went, and is free")
  func change_fromUnprovenAddress_leavesNoWayBack() async throws {
    try await AuthStage.run { stage in
      let bob = try await stage.signUp()
      _ = try await stage.takeMails()
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: AuthStage.password, newEmail: "bob@example.org"),
        options: stage.with(bob)
      )
      let token = try await stage.takeToken("confirm-email", to: "bob@example.org")
      _ = try await stage.accounts.confirmEmailChange(.init(token: token), options: stage.with(bob))
      #expect(try await stage.takeMails().isEmpty)
      let ada = try await stage.signUp()
      #expect(ada.user?.id != bob.user?.id)
    }
  }

  @Test("A device that signed in to a former account of the address is new to the next one")
  func deviceToken_ofFormerAccount_isUnknown() async throws {
    try await AuthStage.run { stage in
      let stranger = try await stage.signUp()
      #expect(
        await disown(stage, try await stage.takeToken("verify-email", to: Self.email)) == "OK"
      )
      stage.clock.advance(1000)
      _ = try await stage.signUp()
      _ = try await stage.takeMails()
      _ = try await stage.authentication.signIn(
        .init(
          email: Self.email,
          password: AuthStage.password,
          deviceToken: stranger.deviceToken
        )
      )
      let texts = try await stage.takeMails().map(\.text)
      #expect(texts.contains(where: { $0.contains("does not know") }))
    }
  }
}
