import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Accounts that move to another address")
struct EmailChangeTests {
  private static let invalid = "INVALID_ARGUMENT MAIL_TOKEN_INVALID"
  private static let (old, new) = ("ada@example.org", "countess@example.org")

  private func request(
    _ stage: AuthStage,
    _ user: Auth_V1.SignInResponse,
    _ email: String = EmailChangeTests.new,
    password: String = AuthStage.password
  ) async -> String {
    await outcome {
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: password, newEmail: email),
        options: stage.with(user)
      )
    }
  }

  /// Changes the address; what undoes that.
  private func change(
    _ stage: AuthStage,
    _ user: Auth_V1.SignInResponse,
    from old: String = EmailChangeTests.old,
    to new: String = EmailChangeTests.new
  ) async throws -> String {
    #expect(await request(stage, user, new) == "OK")
    let token = try await stage.takeToken("confirm-email", to: new)
    _ = try await stage.accounts.confirmEmailChange(.init(token: token), options: stage.with(user))
    return try await stage.takeToken("undo-email", to: old)
  }

  private func undo(_ stage: AuthStage, _ token: String) async -> String {
    await outcome { _ = try await stage.accounts.undoEmailChange(.init(token: token)) }
  }

  @Test("The new address confirms the change, the old one is told, and other sessions end")
  func change_confirmed_movesTheAccount() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      let other = try await stage.signIn()
      #expect(await request(stage, ada) == "OK")
      let mails = try await stage.takeMails().filter { $0.recipient == "<\(Self.new)>" }
      #expect(mails.count == 1)
      // Whose account it is, its name included, is nothing for the person who reads that address.
      #expect(mails.first?.text.contains("Ada") == false)
      let token = try #require(mails.first?.link?.token)
      // Nothing has changed so far.
      _ = try await stage.signIn()
      for _ in 0..<2 {
        _ = try await stage.accounts.confirmEmailChange(
          .init(token: token),
          options: stage.with(ada)
        )
      }
      let me = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(me.email == Self.new && me.emailVerified)
      let ended = await outcome {
        _ = try await stage.users.getMe(.init(), options: stage.with(other))
      }
      #expect(ended == "UNAUTHENTICATED CREDENTIALS_INVALID")
      #expect(
        await outcome { _ = try await stage.signIn() } == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      _ = try await stage.signIn(Self.new)
      let notices = try await stage.takeMails().filter { $0.link?.path == "undo-email" }
      #expect(notices.map(\.recipient) == ["<\(Self.old)>"])
      #expect(notices.first?.text.contains(Self.new) == true)
      #expect(
        try await stage.audited("email.").map { $0.split(separator: " ")[0] } == [
          "email.verify", "email.request_change", "email.change",
        ]
      )
    }
  }

  @Test("An address that has an account is told so itself, and the caller is not")
  func change_toTakenAddress_tellsItsOwner() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.signUp("bob@example.org")
      _ = try await stage.takeMails()
      #expect(await request(stage, ada, "bob@example.org") == "OK")
      let mails = try await stage.takeMails()
      #expect(mails.map(\.recipient) == ["<bob@example.org>"])
      #expect(mails.first?.headers["Subject"] == "Your e-mail address is in use")
      #expect(mails.first?.link == nil)
      // Taken after the mail was sent, the token is of no use.
      stage.clock.advance(60_000)
      #expect(await request(stage, ada, "eve@example.org") == "OK")
      let token = try await stage.takeToken("confirm-email", to: "eve@example.org")
      _ = try await stage.signUp("eve@example.org")
      let taken = await outcome {
        _ = try await stage.accounts.confirmEmailChange(
          .init(token: token),
          options: stage.with(ada)
        )
      }
      #expect(taken == "ALREADY_EXISTS EMAIL_TAKEN")
    }
  }

  @Test("Without the password, or with an address that hides something, nothing is sent")
  func change_unproven_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.takeMails()
      #expect(
        await request(stage, ada, password: "wrong password")
          == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      #expect(await request(stage, ada, "-x@example.org") == "INVALID_ARGUMENT EMAIL_INVALID")
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test("The old address takes the account back for a week, whoever has it by then")
  func undo_weekLater_recoversTheAccount() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      let thief = try await stage.signIn()
      let first = try await change(stage, thief)
      // The thief goes on, and would take back what is taken back.
      stage.clock.advance(60_000)
      let second = try await change(stage, thief, from: Self.new, to: "eve@example.org")
      // Nobody else gets the old address while it may come back.
      let squatted = await outcome { _ = try await stage.signUp(Self.old) }
      #expect(squatted == "ALREADY_EXISTS EMAIL_TAKEN")
      stage.clock.advance(7 * 86_400_000 - 60_001)
      #expect(await undo(stage, first) == "OK")
      #expect(await undo(stage, first) == "OK", "a link is opened twice")
      #expect(await undo(stage, second) == Self.invalid)
      for (email, password) in [
        ("eve@example.org", AuthStage.password), (Self.old, AuthStage.password),
      ] {
        let refused = await outcome { _ = try await stage.signIn(email, password: password) }
        #expect(refused == "UNAUTHENTICATED INVALID_CREDENTIALS")
      }
      let reset = try await stage.takeToken("reset-password", to: Self.old)
      _ = try await stage.accounts.resetPassword(
        .init(token: reset, newPassword: "another battery staple horse")
      )
      let back = try await stage.signIn(password: "another battery staple horse")
      #expect(back.user?.id == ada.user?.id && back.user?.email == Self.old)
    }
  }

  @Test("After a week a change stays, and the old address is free")
  func undo_tooLate_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      let token = try await change(stage, ada)
      stage.clock.advance(7 * 86_400_000)
      #expect(await undo(stage, token) == Self.invalid)
      let other = try await stage.signUp()
      #expect(other.user?.id != ada.user?.id)
    }
  }

  @Test("Its owner may go back to an address that is kept for an undo")
  func change_backToOldAddress_isAllowed() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      _ = try await change(stage, ada)
      stage.clock.advance(60_000)
      _ = try await change(stage, ada, from: Self.new, to: Self.old)
      _ = try await stage.signIn(Self.old)
    }
  }
}
