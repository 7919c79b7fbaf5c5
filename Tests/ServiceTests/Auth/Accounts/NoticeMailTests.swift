import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Notices of other services")
struct NoticeMailTests {
  private func request(
    _ id: String = "ntc_1",
    to user: String,
    _ kind: Auth_V1.NoticeKind = .accessGiven,
    of name: String = "Flat 2"
  ) -> Auth_V1.SendNoticeRequest {
    .init(
      noticeId: id,
      userId: user,
      kind: kind,
      happenedAt: .init(milliseconds: ManualClock().now),
      role: "property_manager",
      entityType: "unit",
      entityName: name,
      parentName: "Harbour House",
      receiver: "hooks.example.com"
    )
  }

  private func accounts(_ stage: AuthStage) -> Auth_V1.AccountsClient {
    .init(stage.tenancyChannel)
  }

  /// A user whose address is proven, and whose mails are taken.
  private func user(
    _ stage: AuthStage,
    isVerified: Bool = true,
    language: String = ""
  ) async throws -> String {
    let answer = try await stage.authentication.signUp(
      .init(
        email: "ada@example.org",
        password: AuthStage.password,
        displayName: "Ada",
        language: language
      )
    )
    let id = try #require(answer.user?.id)
    try await stage.service.core.store.writeOwn { tx in
      try tx.execute(
        "UPDATE account SET email_verified = ? WHERE id = ?",
        .boolean(isVerified),
        .text(id)
      )
    }
    _ = try await stage.takeMails()
    return id
  }

  @Test(
    "A notice is mailed to the user, in the user's language",
    arguments: [
      ("", Auth_V1.NoticeKind.accessGiven, "You have access to Flat 2, Harbour House"),
      ("", .accessEnded, "Your access to Flat 2, Harbour House has ended"),
      ("de", .accessGiven, "Sie haben Zugang: Flat 2, Harbour House"),
      ("", .webhookFailing, "A receiver of your webhook does not answer"),
      ("", .webhookPaused, "Your webhook is paused"),
      ("", .webhookGone, "Your webhook is paused: the receiver is gone"),
      ("de", .webhookLostRight, "Ihr Webhook ist angehalten: Ihnen fehlt das Recht"),
    ]
  )
  func send_notice_isMailed(
    language: String,
    kind: Auth_V1.NoticeKind,
    subject: String
  ) async throws {
    try await AuthStage.run { stage in
      let ada = try await user(stage, language: language)
      let sent = try await accounts(stage).sendNotice(request(to: ada, kind))
      #expect(sent.isMailed)
      let mails = try await stage.takeMails()
      let mail = try #require(mails.first)
      #expect(mails.count == 1 && mail.recipient == "<ada@example.org>")
      #expect(mail.headers["Subject"] == subject)
      let isOfWebhook = kind != .accessGiven && kind != .accessEnded
      #expect(mail.text.contains(isOfWebhook ? "hooks.example.com" : "property manager"))
      #expect(mail.text.contains("Ada"))
    }
  }

  @Test("A name that looks like a link is left out")
  func send_name_isPlain() async throws {
    try await AuthStage.run { stage in
      let ada = try await user(stage)
      _ = try await accounts(stage).sendNotice(request(to: ada, of: "win.example.com"))
      let mail = try #require(try await stage.takeMails().first)
      #expect(mail.headers["Subject"] == "You have access to unit")
      #expect(!mail.raw.contains("win.example.com"))
    }
  }

  @Test("A notice that is handed over twice is one mail, and ten an hour are enough")
  func send_often_isBounded() async throws {
    try await AuthStage.run { stage in
      let ada = try await user(stage)
      for _ in 1...3 {
        #expect(try await accounts(stage).sendNotice(request(to: ada)).isMailed)
      }
      #expect(try await stage.takeMails().count == 1)
      var mailed = 0
      for number in 2...14 {
        let sent = try await accounts(stage).sendNotice(request("ntc_\(number)", to: ada))
        mailed += sent.isMailed ? 1 : 0
      }
      #expect(mailed == 9)
      #expect(try await stage.takeMails().count == 9)
    }
  }

  @Test("Nobody gets one whose address is not proven, or whose account is not there")
  func send_unproven_isLeft() async throws {
    try await AuthStage.run { stage in
      let ada = try await user(stage, isVerified: false)
      for id in [ada, "usr_nobody"] {
        let sent = try await accounts(stage).sendNotice(request("ntc_\(id)", to: id))
        #expect(!sent.isMailed)
      }
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test("Other services and users send none, and a notice that is unknown is refused")
  func send_byOthers_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await user(stage)
      await #expect(throws: RPCError.self) {
        try await Auth_V1.AccountsClient(stage.channel).sendNotice(request(to: ada))
      }
      for (kind, reason) in [
        (Auth_V1.NoticeKind(rawValue: 99), "NOTICE_UNKNOWN"), (.unspecified, "FIELD_VIOLATIONS"),
      ] {
        let refused = await outcome {
          _ = try await accounts(stage).sendNotice(request(to: ada, kind))
        }
        #expect(refused == "INVALID_ARGUMENT \(reason)")
      }
      #expect(try await stage.takeMails().isEmpty)
    }
  }
}
