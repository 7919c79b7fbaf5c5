import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// Accounts that somebody makes before their victim does: the classes of arXiv 2205.10174.
@Suite("Accounts that somebody else prepared")
struct PreparedAccountTests {
  private static let victim = "victim@gmail.com"
  private static let newPassword = "the victim's own phrase"

  /// The victim resets the password of the account with their address.
  private func reset(_ stage: IdentityStage) async throws -> Auth_V1.SignInResponse {
    _ = try await stage.stage.accounts.requestPasswordReset(.init(email: Self.victim))
    let token = try await stage.stage.takeToken("reset-password", to: Self.victim)
    _ = try await stage.stage.accounts.resetPassword(
      .init(token: token, newPassword: Self.newPassword)
    )
    return try await stage.stage.signIn(Self.victim, password: Self.newPassword)
  }

  @Test("Classic-federated merge: the victim's identity is not merged into the attacker's account")
  func classicFederatedMerge_isRefused() async throws {
    try await IdentityStage.run { stage in
      let attacker = try await stage.stage.signUp(Self.victim)
      let refused = await outcome {
        _ = try await stage.signIn(stage.google, "victim", email: Self.victim)
      }
      #expect(refused == "ALREADY_EXISTS IDENTITY_NOT_LINKED")
      #expect(try await stage.list(attacker).identities.isEmpty)
      // What the message says to do works, and leaves the attacker nothing.
      let victim = try await reset(stage)
      _ = try await stage.link(stage.google, "victim", email: Self.victim, by: victim)
      let back = try await stage.signIn(stage.google, "victim", email: Self.victim)
      #expect(back.user?.id == victim.user?.id)
      #expect(await stage.isAlive(attacker) == false)
      let old = await outcome { _ = try await stage.stage.signIn(Self.victim) }
      #expect(old == "UNAUTHENTICATED INVALID_CREDENTIALS")
    }
  }

  @Test("Unexpired session: a link alone proves nothing, and a reset ends the attacker's sessions")
  func unexpiredSession_ends() async throws {
    try await IdentityStage.run { stage in
      let attacker = try await stage.stage.signUp(Self.victim)
      let mail = try await stage.stage.takeToken("verify-email", to: Self.victim)
      let link = await outcome {
        _ = try await stage.stage.accounts.verifyEmail(.init(token: mail))
      }
      #expect(link == "UNAUTHENTICATED ACCOUNT_PROOF_REQUIRED")
      let unproven = try await stage.stage.signIn(Self.victim)
      #expect(unproven.user?.emailVerified == false)
      let victim = try await reset(stage)
      #expect(victim.user?.id != attacker.user?.id)
      #expect(await stage.isAlive(attacker) == false)
      #expect(await stage.isAlive(victim))
    }
  }

  @Test("Whoever has both a session and the mail stays signed in, with their identities")
  func firstProof_inASession_keepsIt() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.signIn(stage.work, "ada", email: Self.victim)
      let mail = try await stage.stage.takeToken("verify-email", to: Self.victim)
      let other = try await stage.signIn(stage.work, "ada", email: Self.victim)
      _ = try await stage.stage.accounts.verifyEmail(
        .init(token: mail),
        options: stage.stage.with(ada)
      )
      #expect(await stage.isAlive(ada))
      #expect(await stage.isAlive(other) == false)
      #expect(try await stage.list(ada).identities.count == 1)
      // A reset is no first proof any more.
      let again = try await reset(stage)
      #expect(try await stage.list(again).identities.count == 1)
    }
  }

  @Test("Trojan identifier: the first proof of the address unlinks the attacker's identities")
  func trojanIdentifier_isUnlinked() async throws {
    try await IdentityStage.run { stage in
      let attacker = try await stage.stage.signUp(Self.victim)
      _ = try await stage.link(stage.google, "attacker", email: "attacker@gmail.com", by: attacker)
      let victim = try await reset(stage)
      #expect(try await stage.list(victim).identities.isEmpty)
      #expect(
        try await stage.stage.audited("identity.unlink_all")
          == ["identity.unlink_all \(attacker.user?.id ?? "")"]
      )
      // It is somebody else's now, and makes an account of its own.
      let attacked = try await stage.signIn(
        stage.google,
        "attacker",
        email: "attacker@gmail.com"
      )
      #expect(attacked.user?.id != victim.user?.id && attacked.user?.id != attacker.user?.id)
    }
  }

  /// Adds a passkey, an authenticator app and a PIN to an account.
  private func add(
    to account: Auth_V1.SignInResponse,
    _ authenticator: SoftAuthenticator,
    _ stage: AuthStage
  ) async throws {
    try await stage.register(authenticator, for: account)
    try await stage.enroll(account)
    _ = try await stage.stepUp.setPin(.init(pin: "730284"), options: stage.with(account))
  }

  @Test("Trojan passkey, app and PIN: the first proof of the address removes them")
  func trojanFactors_areRemoved() async throws {
    try await IdentityStage.run { stage in
      let attacker = try await stage.stage.signUp(Self.victim)
      let trojan = SoftAuthenticator()
      try await add(to: attacker, trojan, stage.stage)
      let handle = try await stage.stage.handle(of: attacker)
      let victim = try await reset(stage)
      // An app would ask for a code.
      #expect(victim.tokens != nil)
      for table in ["passkey", "totp", "recovery_code", "pin"] {
        #expect(try await stage.count(table) == 0, "\(table)")
      }
      let back = await outcome { _ = try await stage.stage.signIn(trojan, handle: handle) }
      #expect(back == AuthStage.passkeyRefused)
      let id = try #require(attacker.user?.id)
      for action in ["passkey.remove_all", "totp.remove", "pin.clear"] {
        #expect(try await stage.stage.audited(action) == ["\(action) \(id)"])
      }
    }
  }

  @Test("Whoever proves the address in a session of the account keeps passkeys, app and PIN")
  func firstProof_inASession_keepsFactors() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp(Self.victim)
      let mail = try await stage.stage.takeToken("verify-email", to: Self.victim)
      let authenticator = SoftAuthenticator()
      try await add(to: ada, authenticator, stage.stage)
      _ = try await stage.stage.accounts.verifyEmail(
        .init(token: mail),
        options: stage.stage.with(ada)
      )
      for table in ["passkey", "totp", "pin"] {
        #expect(try await stage.count(table) == 1, "\(table)")
      }
      // Not by a reset that comes later either.
      _ = try await stage.stage.accounts.requestPasswordReset(.init(email: Self.victim))
      let token = try await stage.stage.takeToken("reset-password", to: Self.victim)
      _ = try await stage.stage.accounts.resetPassword(
        .init(token: token, newPassword: Self.newPassword)
      )
      for table in ["passkey", "totp", "pin"] {
        #expect(try await stage.count(table) == 1, "\(table)")
      }
      let handle = try await stage.stage.handle(of: ada)
      let back = try await stage.stage.signIn(authenticator, handle: handle)
      #expect(back.user?.id == ada.user?.id)
    }
  }

  @Test("Unexpired e-mail change: a reset or a verification voids the attacker's change of address")
  func unexpiredEmailChange_isVoid() async throws {
    for isReset in [true, false] {
      try await IdentityStage.run { stage in
        let attacker = try await stage.stage.signUp(Self.victim)
        let mail = try await stage.stage.takeToken("verify-email", to: Self.victim)
        _ = try await stage.stage.accounts.changeEmail(
          .init(currentPassword: AuthStage.password, newEmail: "attacker@example.org"),
          options: stage.stage.with(attacker)
        )
        let change = try await stage.stage.takeToken("confirm-email", to: "attacker@example.org")
        if isReset {
          _ = try await reset(stage)
        } else {
          _ = try await stage.stage.accounts.verifyEmail(
            .init(token: mail, password: AuthStage.password)
          )
        }
        let refused = await outcome {
          _ = try await stage.stage.accounts.confirmEmailChange(
            .init(token: change, password: AuthStage.password)
          )
        }
        #expect(refused == "INVALID_ARGUMENT MAIL_TOKEN_INVALID")
      }
    }
  }

  @Test("Non-verifying provider: its word for an address is worth nothing")
  func nonVerifyingProvider_isNotTrusted() async throws {
    try await IdentityStage.run { stage in
      let attacker = try await stage.signIn(stage.work, "attacker", email: Self.victim)
      #expect(attacker.user?.emailVerified == false)
      let victim = try await reset(stage)
      #expect(victim.user?.id != attacker.user?.id)
      #expect(await stage.isAlive(attacker) == false)
      #expect(try await stage.list(victim).identities.isEmpty)
      let back = await outcome {
        _ = try await stage.signIn(stage.work, "attacker", email: Self.victim)
      }
      #expect(back == "ALREADY_EXISTS IDENTITY_NOT_LINKED")
    }
  }

  @Test("Whoever takes a change of address back loses the identities that a thief linked")
  func undoEmailChange_unlinksIdentities() async throws {
    try await IdentityStage.run { stage in
      let ada = try await stage.stage.signUp(Self.victim)
      try await stage.stage.verifyAddress(of: ada, Self.victim)
      _ = try await stage.link(stage.google, "thief", email: "thief@gmail.com", by: ada)
      _ = try await stage.stage.accounts.changeEmail(
        .init(currentPassword: AuthStage.password, newEmail: "thief@example.org"),
        options: stage.stage.with(ada)
      )
      let change = try await stage.stage.takeToken("confirm-email", to: "thief@example.org")
      _ = try await stage.stage.accounts.confirmEmailChange(
        .init(token: change, password: AuthStage.password)
      )
      let undo = try await stage.stage.takeToken("undo-email", to: Self.victim)
      _ = try await stage.stage.accounts.undoEmailChange(.init(token: undo))
      #expect(try await stage.count("identity") == 0)
    }
  }
}
