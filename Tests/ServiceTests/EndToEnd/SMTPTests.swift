import RPCKit
import RPCKitTesting
import Testing

@testable import AuthService

extension EndToEndTests {
  @Suite("Mails handed to an SMTP server")
  struct SMTPTests {
    private func mail(
      _ id: String,
      to recipient: String = "ada@example.com",
      plain: String = "Hello\n"
    ) -> MailMessage {
      MailMessage(
        id: id,
        date: 1_795_365_928_000,
        from: .init(name: "Gatehouse", address: "post@example.org"),
        to: recipient,
        subject: "Straße",
        plain: plain,
        html: "<p>Hello</p>\n"
      )
    }

    private func run(
      _ mode: MailServer.Mode,
      _ body: (MailServer) async throws -> Void
    ) async throws {
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      try await MailServer.run(mode, on: loops.loops[0], body)
    }

    /// Delivers on a thread of its own, as the outbox does.
    private func deliver(
      _ mails: [MailMessage],
      _ settings: SMTPSettings,
      isStopping: @escaping @Sendable () -> Bool = { false }
    ) async throws -> [MailOutcome] {
      let thread = MailThreads(count: 1)
      defer { thread.stop() }
      let transport = SMTPTransport(settings: settings, sender: "post@example.org")
      return try await thread.run { transport.deliver(mails, isStopping: isStopping) }
    }

    @Test(
      "Mails of a batch go over one connection, authenticated and encrypted, byte for byte",
      arguments: [(MailServer.Mode.tls, SMTPSettings.Encryption.implicit), (.startTLS, .startTLS)]
    )
    func batch_arrives(mode: MailServer.Mode, encryption: SMTPSettings.Encryption) async throws {
      try await run(mode) { server in
        // Lines that servers and clients treat in their own ways.
        let hostile = mail(
          "eml_2",
          plain: ".\n..\n.\r\nFrom x\n\n \n" + String(repeating: "ä", count: 2000)
        )
        let mails = [mail("eml_1"), hostile, mail("eml_3", to: "bob@example.com")]
        let outcomes = try await deliver(mails, server.settings(encryption))
        #expect(outcomes == [.sent, .sent, .sent])
        let accepted = try server.accepted()
        #expect(accepted.map(\.id) == ["eml_1", "eml_2", "eml_3"])
        #expect(Set(accepted.map(\.connection)).count == 1)
        for (mail, one) in zip(mails, accepted) {
          #expect(one.sender == "post@example.org" && one.recipients == [mail.recipient])
          #expect(one.client == "client.test" && one.login == MailServer.user)
          #expect(one.bareCount == 0 && !one.isUnicode)
          #expect(try server.server.folder.text(of: "mails/\(mail.id).eml") == mail.text)
        }
      }
    }

    @Test("To a server on this host mails may go without TLS and AUTH")
    func local_withoutTLS_arrives() async throws {
      try await run(.plain) { server in
        let settings = server.settings(.none, signsIn: false)
        let outcomes = try await deliver([mail("eml_1")], settings)
        #expect(outcomes == [.sent])
        #expect(try server.accepted().map(\.login) == [nil])
      }
    }

    @Test("Without STARTTLS nothing is sent, not even who would be written to")
    func startTLS_missing_sendsNothing() async throws {
      try await run(.plain) { server in
        let outcomes = try await deliver(
          [mail("eml_1"), mail("eml_2")],
          server.settings(.startTLS)
        )
        let reason = MailOutcome.failed("the server offers no STARTTLS")
        #expect(outcomes == [reason, reason])
        #expect(try server.accepted().isEmpty)
      }
    }

    @Test(
      "A server that does not authenticate by password gets no mail",
      arguments: [MailServer.Mode.withoutAUTH, .otherAUTH]
    )
    func auth_missing_sendsNothing(mode: MailServer.Mode) async throws {
      try await run(mode) { server in
        let outcomes = try await deliver([mail("eml_1")], server.settings(.implicit))
        let reason = "the server offers no AUTH PLAIN or LOGIN, which mail.smtp_user needs"
        #expect(outcomes == [.failed(reason)])
        #expect(try server.accepted().isEmpty)
        // It takes mails from others.
        let open = try await deliver([mail("eml_2")], server.settings(.implicit, signsIn: false))
        #expect(open == [.sent])
      }
    }

    @Test("A wrong password, a stranger's certificate and a missing file are tried again")
    func credentials_wrong_areTriedAgain() async throws {
      try await run(.tls) { server in
        let folder = server.server.folder
        try folder.write("wrong\n", to: "other")
        var settings = server.settings(.implicit)
        settings.passwordFile = folder.file("other")
        let denied = try await deliver([mail("eml_1"), mail("eml_2")], settings)
        #expect(denied.count == 2 && Set(denied).count == 1)
        guard case .failed(let reason) = denied[0] else {
          Issue.record("\(denied)")
          return
        }
        #expect(reason.hasPrefix("the server answered AUTH with 535"), "\(reason)")
        #expect(!reason.contains("wrong") && !reason.contains(MailServer.user))
        settings = server.settings(.implicit)
        settings.authorities = folder.file("stranger.pem")
        guard case .failed(let distrust) = try await deliver([mail("eml_3")], settings).first else {
          Issue.record("a stranger was believed")
          return
        }
        #expect(distrust.contains("certificate"), "\(distrust)")
        settings.passwordFile = folder.file("missing")
        guard case .failed(let missing) = try await deliver([mail("eml_4")], settings).first else {
          Issue.record("a password was made up")
          return
        }
        #expect(missing.contains("missing"))
        #expect(try server.accepted().isEmpty)
      }
    }

    @Test("What the server says of one mail is about that mail, and the others go on")
    func replies_areJudgedByMail() async throws {
      try await run(.tls) { server in
        let mails = [
          mail("eml_1", to: "unknown@example.com"), mail("eml_2", to: "grey@example.com"),
          mail("eml_3"), mail("eml_4", plain: String(repeating: "x\n", count: 20_000)),
          mail("eml_5", plain: String(repeating: "x", count: 300_000)), mail("eml_6"),
        ]
        let outcomes = try await deliver(mails, server.settings(.implicit))
        try #require(outcomes.count == 6)
        #expect(
          outcomes[0] == .refused("the server answered RCPT with 550 5.1.1 <ADDRESS>: no such user")
        )
        #expect(
          outcomes[1]
            == .failed("the server answered RCPT with 451 4.7.1 <ADDRESS>: come back later")
        )
        #expect(outcomes[2] == .sent)
        // Refused by the size that MAIL announces.
        guard case .refused(let large) = outcomes[3] else {
          Issue.record("\(outcomes)")
          return
        }
        #expect(large.hasPrefix("the server answered MAIL with 552"), "\(large)")
        #expect(
          outcomes[4] == .refused("the mail is larger than 262144 bytes; shorten its template")
        )
        #expect(outcomes[5] == .sent)
        #expect(try server.accepted().map(\.id) == ["eml_3", "eml_6"])
        let again = try await deliver([mails[1]], server.settings(.implicit))
        #expect(again == [.sent])
      }
    }

    @Test("What the server says of this service ends the batch", arguments: ["policy", "closing"])
    func replies_aboutTheService_endTheBatch(name: String) async throws {
      try await run(.tls) { server in
        let mails = [mail("eml_1", to: "\(name)@example.com"), mail("eml_2")]
        let outcomes = try await deliver(mails, server.settings(.implicit))
        try #require(outcomes.count == 2)
        guard case .failed(let reason) = outcomes[0] else {
          Issue.record("\(outcomes)")
          return
        }
        #expect(reason.hasPrefix("the server answered RCPT with "))
        #expect(outcomes[1] == outcomes[0])
        #expect(try server.accepted().isEmpty)
      }
    }

    @Test(
      "A server that hangs is left after the time that a mail may take",
      arguments: [true, false]
    )
    func hang_ends(whenConnecting: Bool) async throws {
      try await run(whenConnecting ? .silent : .tls) { server in
        var settings = server.settings(.implicit)
        settings.seconds = 1
        let mails = [mail("eml_1", to: "hang@example.com"), mail("eml_2")]
        let outcomes = try await deliver(mails, settings)
        guard case .failed(let reason) = outcomes.first else {
          Issue.record("\(outcomes)")
          return
        }
        #expect(reason.lowercased().contains("time"), "\(reason)")
        #expect(outcomes == [.failed(reason), .failed(reason)])
        #expect(try server.accepted().isEmpty)
      }
    }

    @Test("A stop ends what waits for a server")
    func stop_endsTheWait() async throws {
      try await run(.silent) { server in
        let folder = server.server.folder
        let outcomes = try await deliver(
          [mail("eml_1"), mail("eml_2")],
          server.settings(.implicit)
        ) {
          // There is a file once the server has the connection.
          (try? folder.text(of: "hanging")) != nil
        }
        let stopping = MailOutcome.failed("the service is stopping")
        #expect(outcomes == [stopping, stopping])
      }
    }

    @Test("Addresses beyond ASCII go to servers that know them, and to no others")
    func unicode_dependsOnTheServer() async throws {
      try await run(.tls) { server in
        let mails = [mail("eml_1"), mail("eml_2", to: "jürgen@example.com")]
        let outcomes = try await deliver(mails, server.settings(.implicit))
        #expect(outcomes == [.sent, .sent])
        #expect(try server.accepted().map(\.isUnicode) == [false, true])
        #expect(try server.accepted().last?.recipients == ["jürgen@example.com"])
      }
      try await run(.startTLS) { server in
        let mails = [mail("eml_1", to: "jürgen@example.com"), mail("eml_2")]
        let outcomes = try await deliver(mails, server.settings(.startTLS))
        let reason = "the server takes no addresses beyond ASCII (SMTPUTF8)"
        #expect(outcomes == [.refused(reason), .sent])
        #expect(try server.accepted().map(\.id) == ["eml_2"])
      }
    }

    @Test("Without TLS no name leads to another host, and nobody listening is tried again")
    func connection_impossible_isTriedAgain() async throws {
      var settings = SMTPSettings()
      (settings.server, settings.encryption, settings.port) = ("192.0.2.1", .none, 25)
      #expect(
        try await deliver([mail("eml_1")], settings) == [
          .failed("the server's address is not one that may be connected to")
        ]
      )
      // A port of the system's that no process here takes, where one that is free now may be taken meanwhile.
      (settings.server, settings.port) = ("127.0.0.1", 1)
      guard case .failed(let reason) = try await deliver([mail("eml_1")], settings).first else {
        Issue.record("a mail went nowhere")
        return
      }
      #expect(reason.contains("Connection refused") || reason.contains("connect"), "\(reason)")
    }
  }
}
