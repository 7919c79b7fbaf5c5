import Foundation
import Glibc
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("Accounts by mail")
  struct AccountMailTests {
    /// Waits for a mail with this link, or of this subject, to this address, as Python reads mails; prints
    /// the link's code and takes the mail away.
    private static let reader = #"""
      import email, email.policy, glob, os, re, select, sys, time
      path, address, folder = sys.argv[1:]
      until = time.monotonic() + 30
      while time.monotonic() < until:
          for name in glob.glob(folder + "/*.eml"):
              with open(name, newline="") as file:
                  mail = email.message_from_file(file, policy=email.policy.default)
              assert not mail.defects and not mail.is_attachment(), name
              assert mail["Message-ID"] == "<%s@localhost>" % os.path.basename(name)[:-4], mail
              recipients = [to.addr_spec for to in mail["To"].addresses]
              if mail["Subject"] == path and recipients == [address]:
                  os.unlink(name)
                  sys.exit(0)
              text = mail.get_body(("plain",)).get_content()
              link = re.search(r"gatehouse://account/(\S+)#(\S+)", text)
              if link is None:
                  continue
              assert link.group(0) in mail.get_body(("html",)).get_content(), mail
              if link.group(1) == path and recipients == [address]:
                  os.unlink(name)
                  print(link.group(2))
                  sys.exit(0)
          select.select([], [], [], 0.02)
      sys.exit("no mail with %s to %s" % (path, address))
      """#

    /// Every flow of accounts by mail, and notices; `$MAILS` is the folder with the mails.
    private static let flows = """
      take() { python3 mail.py "$1" "$2" "$MAILS"; }
      other='a quite different phrase'
      gatehouse signup ada@example.com Ada
      code=$(take verify-email ada@example.com)
      gatehouse verify-email "$code"
      gatehouse verify-email "$code"
      gatehouse whoami | grep '"emailVerified": true'
      gatehouse reset-password nobody@example.com > nobody
      gatehouse reset-password ada@example.com > somebody
      cmp nobody somebody
      code=$(take reset-password ada@example.com)
      GATEHOUSE_PASSWORD=$other gatehouse reset-password "$code" | grep 'ended 1 session$'
      take 'Your password was changed' ada@example.com
      ! gatehouse reset-password "$code"
      ! gatehouse whoami
      ! gatehouse login ada@example.com
      GATEHOUSE_PASSWORD=$other gatehouse login ada@example.com
      GATEHOUSE_PASSWORD=$other gatehouse login ada@example.com --session elsewhere.json
      take 'New sign-in to your account' ada@example.com
      gatehouse signup eve@example.com Eve --session eve.json
      gatehouse change-email ada@example.com --session eve.json
      take 'Your e-mail address is in use' ada@example.com
      GATEHOUSE_PASSWORD=$other gatehouse change-email countess@example.com
      gatehouse whoami | grep '"email": "ada@example.com"'
      gatehouse confirm-email "$(take confirm-email countess@example.com)"
      gatehouse whoami | grep '"email": "countess@example.com"'
      gatehouse undo-email-change "$(take undo-email ada@example.com)"
      ! gatehouse whoami
      ! GATEHOUSE_PASSWORD=$other gatehouse login ada@example.com
      gatehouse reset-password "$(take reset-password ada@example.com)"
      gatehouse login ada@example.com
      gatehouse whoami | grep '"email": "ada@example.com"'
      """

    @Test(
      "On the command line an address is verified, a password reset, an address changed and taken back"
    )
    func account_allFlows_work() async throws {
      try await Installation.run { home in
        try await walk(home, mails: home.folder.file("auth.db.mail"))
      }
    }

    @Test("The same with an SMTP server", arguments: [MailServer.Mode.tls, .startTLS])
    func account_allFlowsBySMTP_work(mode: MailServer.Mode) async throws {
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      try await MailServer.run(mode, on: loops.loops[0]) { server in
        let folder = server.server.folder
        let mail: JSONValue = [
          "transport": "smtp", "smtp_server": "localhost",
          "smtp_port": .number(JSONNumber(Int64(server.server.port))),
          "smtp_tls": mode == .tls ? "implicit" : "starttls",
          "smtp_user": .string(MailServer.user),
          "smtp_password_file": .string(folder.file("password")),
          "smtp_ca_file": .string(folder.file("ca.pem")),
        ]
        try await Installation.run(auth: ["mail": mail]) { home in
          try await walk(home, mails: folder.file("mails"))
        }
        let accepted = try server.accepted()
        #expect(accepted.allSatisfy { $0.login == MailServer.user && $0.client == "localhost" })
        #expect(Set(accepted.map(\.id)).count == accepted.count)
      }
    }

    private func walk(_ home: Installation, mails: String) async throws {
      try home.folder.write(Self.reader, to: "mail.py")
      let ending = try await home.shell("MAILS='\(mails)'\n\(Self.flows)")
      let log = try home.folder.text(of: "shell.log")
      #expect(ending == .exited(0), "\(log)")
      // Nobody's mail is left for an address without an account.
      for name in try FileManager.default.contentsOfDirectory(atPath: mails) {
        let text = try String(contentsOfFile: "\(mails)/\(name)", encoding: .utf8)
        #expect(!text.contains("nobody@example.com"))
      }
    }

    @Test(
      "Somebody who is invited by address gets a mail, although AuthService was away, and the role"
    )
    func invitation_byAddress_isMailed() async throws {
      try await Installation.run { home in
        try home.folder.write(Self.reader, to: "mail.py")
        let first = try await home.shell(
          #"""
          take() { python3 mail.py "$1" "$2" auth.db.mail; }
          gatehouse signup ada@example.com Ada
          gatehouse verify-email "$(take verify-email ada@example.com)"
          gatehouse signup bob@example.com Bob --session bob.json
          gatehouse call Portfolios/Create '{"name": "Home"}' > portfolio
          sed -n 's/.*"id": "\(prt_[a-z0-9]*\)".*/\1/p' portfolio | head -n 1 > id
          test -s id
          """#
        )
        #expect(first == .exited(0), "\(home.folder.end(of: "shell.log"))")
        // TenancyService is asked by a token that it verifies itself; AuthService takes the letter later.
        try await home.auth.kill()
        let second = try await home.shell(
          #"""
          gatehouse call Invitations/Create "{\"entityId\": \"$(cat id)\", \
            \"role\": \"portfolio_admin\", \"email\": \"Bob@example.com\"}" | grep '"code"'
          """#
        )
        #expect(second == .exited(0), "\(home.folder.end(of: "shell.log"))")
        try await home.tenancy.kill()
        try await home.auth.start()
        try await home.tenancy.start()
        let third = try await home.shell(
          #"""
          take() { python3 mail.py "$1" "$2" auth.db.mail; }
          code=$(take accept-invitation bob@example.com)
          ! gatehouse call Portfolios/Get "{\"portfolioId\": \"$(cat id)\"}" --session bob.json
          gatehouse call Invitations/Accept "{\"code\": \"$code\"}" --session bob.json
          gatehouse call Portfolios/Get "{\"portfolioId\": \"$(cat id)\"}" --session bob.json
          """#
        )
        #expect(third == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }

    @Test("A service that is killed as it answers has sent its mail once when it is back")
    func mail_afterKill_isSentOnce() async throws {
      try await Installation.run { home in
        for round in 0..<3 {
          _ = try await home.signUp("round\(round)")
          try await home.auth.kill()
          try await home.auth.start()
          let isSent = await home.auth.eventually { mails(home, to: "round\(round)") == 1 }
          #expect(isSent, "round \(round)")
        }
        // One that was sent twice would have two files by now.
        for round in 0..<3 { #expect(mails(home, to: "round\(round)") == 1) }
      }
    }

    private func mails(_ home: Installation, to name: String) -> Int {
      let folder = home.folder.file("auth.db.mail")
      // There is none before the first mail.
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.count { file in
        let text = try? home.folder.text(of: "auth.db.mail/\(file)")
        return file.hasSuffix(".eml") && text?.contains("To: <\(name)@example.com>") == true
      }
    }

    @Test("Templates are written out, changed and checked before the service starts with them")
    func templates_damaged_areRefusedByTheCheck() async throws {
      try await Installation.run { home in
        let ending = try await home.shell(
          """
          auth-service write-mail-templates mails --config auth.json
          ! auth-service write-mail-templates mails --config auth.json
          export GATEHOUSE_MAIL__TEMPLATES=mails
          auth-service --check-config --config auth.json
          echo '{{nobody}}' >> mails/de/new_device.html
          auth-service --check-config --config auth.json 2> err && exit 9 || true
          grep 'setting mail.templates: mails/de/new_device: {{nobody}} is unknown here' err
          rm mails/de/new_device.html
          auth-service --check-config --config auth.json 2> err && exit 9 || true
          grep 'setting mail.templates: mails/de/new_device.html is missing' err
          rm -r mails/de
          auth-service --check-config --config auth.json
          """
        )
        let log = try home.folder.text(of: "shell.log")
        #expect(ending == .exited(0), "\(log)")
      }
    }
  }
}
