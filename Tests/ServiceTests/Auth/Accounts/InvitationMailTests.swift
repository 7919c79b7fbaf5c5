import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Invitations that are mailed")
struct InvitationMailTests {
  private func request(
    _ id: String = "inv_1",
    to email: String = "bob@example.org",
    of name: String = "Harbour",
    by inviter: String
  ) -> Auth_V1.SendInvitationRequest {
    .init(
      invitationId: id,
      email: email,
      code: "ABC34",
      inviterId: inviter,
      role: "property_manager",
      entityType: "portfolio",
      expiresAt: .init(milliseconds: ManualClock().now + 7 * 86_400_000),
      entityName: name
    )
  }

  private func accounts(_ stage: AuthStage) -> Auth_V1.AccountsClient {
    .init(stage.tenancyChannel)
  }

  /// A user who may invite; their mails are taken.
  private func inviter(
    _ stage: AuthStage,
    _ email: String = "ada@example.org",
    language: String = ""
  ) async throws -> String {
    let answer = try await stage.authentication.signUp(
      .init(email: email, password: AuthStage.password, displayName: "Ada <b>", language: language)
    )
    let id = try #require(answer.user?.id)
    try await stage.service.core.store.writeOwn { tx in
      try tx.execute("UPDATE account SET email_verified = 1 WHERE id = ?", .text(id))
    }
    _ = try await stage.takeMails()
    return id
  }

  @Test("The invited person gets the code, and learns who invites by a proven address alone")
  func send_invitation_isMailed() async throws {
    try await AuthStage.run { stage in
      let ada = try await inviter(stage)
      _ = try await accounts(stage).sendInvitation(request(by: ada))
      let mails = try await stage.takeMails()
      let mail = try #require(mails.first)
      #expect(mails.count == 1 && mail.recipient == "<bob@example.org>")
      #expect(mail.headers["Subject"] == "ada@example.org invites you as property manager")
      #expect(mail.link?.path == "accept-invitation" && mail.link?.token == "ABC34")
      #expect(mail.text.contains("ada@example.org invites you as property manager of Harbour."))
      // A name is whatever its owner wants strangers to read.
      #expect(!mail.raw.contains("Ada"))
      #expect(try await stage.audited("invitation.send") == ["invitation.send inv_1"])
    }
  }

  @Test(
    "A name that is long or looks like a link is left out: the mail names the kind of object",
    arguments: [
      ("Pier 4", "Pier 4"), ("Dr. Who's flat", "Dr. Who's flat"), ("", "portfolio"),
      ("win.example.com", "portfolio"), ("https://win", "portfolio"), ("a@b", "portfolio"),
      ("two\nlines", "portfolio"), (String(repeating: "a", count: 61), "portfolio"),
    ]
  )
  func send_name_isPlain(name: String, shown: String) async throws {
    #expect(InvitedObject(type: "portfolio", name: name).text == shown)
    try await AuthStage.run { stage in
      let ada = try await inviter(stage)
      _ = try await accounts(stage).sendInvitation(request(of: name, by: ada))
      let mail = try #require(try await stage.takeMails().first)
      #expect(mail.text.contains("as property manager of \(shown)."))
      #expect(mail.headers["Subject"] == "ada@example.org invites you as property manager")
    }
  }

  @Test("Whether the address has an account is to be seen only by its owner, in the mail")
  func send_knownAndUnknown_areAlike() async throws {
    try await AuthStage.run { stage in
      let ada = try await inviter(stage)
      _ = try await stage.authentication.signUp(
        .init(
          email: "Bob@example.org",
          password: AuthStage.password,
          displayName: "Bob",
          language: "de"
        )
      )
      _ = try await stage.takeMails()
      let client = accounts(stage)
      let known = try await client.sendInvitation(request("inv_1", by: ada))
      let unknown = try await client.sendInvitation(
        request("inv_2", to: "nobody@example.org", by: ada)
      )
      #expect(known == unknown)
      let subjects = try await stage.takeMails().reduce(into: [String: String]()) {
        $0[$1.recipient] = $1.headers["Subject"]
      }
      // The account's own spelling and language.
      #expect(
        subjects == [
          "<Bob@example.org>": EncodedText.header("ada@example.org lädt Sie ein"),
          "<nobody@example.org>": "ada@example.org invites you as property manager",
        ]
      )
    }
  }

  @Test("An invitation that is handed over again is one mail")
  func send_again_isOneMail() async throws {
    try await AuthStage.run { stage in
      let ada = try await inviter(stage)
      for _ in 0..<3 { _ = try await accounts(stage).sendInvitation(request(by: ada)) }
      #expect(try await stage.takeMails().count == 1)
      stage.clock.advance(3_600_000)
      _ = try await accounts(stage).sendInvitation(request(by: ada))
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test("Whoever has proven no address, or does not exist, cannot have mail sent")
  func send_unverifiedInviter_isRefused() async throws {
    try await AuthStage.run { stage in
      let eve = try #require(try await stage.signUp().user?.id)
      _ = try await stage.takeMails()
      let unverified = await outcome {
        _ = try await accounts(stage).sendInvitation(request(by: eve))
      }
      #expect(unverified == "FAILED_PRECONDITION INVITER_UNVERIFIED")
      let missing = await outcome {
        _ = try await accounts(stage).sendInvitation(request(by: "usr_nobody"))
      }
      #expect(missing == "NOT_FOUND USER_NOT_FOUND")
      let hidden = await outcome {
        _ = try await accounts(stage).sendInvitation(request(to: "-x@example.org", by: eve))
      }
      #expect(hidden == "INVALID_ARGUMENT EMAIL_INVALID")
      #expect(try await stage.takeMails().isEmpty)
      // Once the address is verified, the same invitation goes.
      try await stage.service.core.store.writeOwn { tx in
        try tx.execute("UPDATE account SET email_verified = 1 WHERE id = ?", .text(eve))
      }
      _ = try await accounts(stage).sendInvitation(request(by: eve))
      #expect(try await stage.takeMails().count == 1)
    }
  }

  @Test("Nobody floods an address or many addresses, and resets of the address stay possible")
  func send_many_areLimited() async throws {
    try await AuthStage.run { stage in
      let ada = try await inviter(stage)
      let bob = try await inviter(stage, "bob@example.org")
      let client = accounts(stage)
      for number in 0..<MailLimits.hourlyCount {
        _ = try await client.sendInvitation(
          request("inv_\(number)", to: "bob@example.org", by: ada)
        )
      }
      let flooded = await outcome {
        _ = try await client.sendInvitation(request("inv_x", to: "BOB@example.org", by: ada))
      }
      #expect(flooded == "RESOURCE_EXHAUSTED TOO_MANY_MAILS")
      #expect(
        stage.metric(#"gatehouse_auth_mail_requests_refused_total{limit="invited"}"#) == 1
      )
      _ = try await stage.accounts.requestPasswordReset(.init(email: "bob@example.org"))
      for number in MailLimits.hourlyCount..<MailLimits.inviterCount {
        _ = try await client.sendInvitation(
          request("inv_\(number)", to: "u\(number)@example.org", by: ada)
        )
      }
      let spent = await outcome {
        _ = try await client.sendInvitation(request("inv_y", to: "other@example.org", by: ada))
      }
      #expect(spent == "RESOURCE_EXHAUSTED TOO_MANY_MAILS")
      // Another user has an allowance of their own.
      _ = try await client.sendInvitation(request("inv_z", to: "other@example.org", by: bob))
      stage.clock.advance(3_600_000)
      _ = try await client.sendInvitation(request("inv_y", to: "other@example.org", by: ada))
    }
  }

  @Test("Only TenancyService may ask")
  func send_others_areRefused() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp()
      let id = try #require(answer.user?.id)
      let asUser = await outcome {
        _ = try await stage.accounts.sendInvitation(request(by: id), options: stage.with(answer))
      }
      #expect(asUser == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
    }
  }
}
