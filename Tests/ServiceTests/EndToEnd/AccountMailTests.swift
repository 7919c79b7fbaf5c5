import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("Accounts by mail")
  struct AccountMailTests {
    /// Waits for a mail with this link to this address, as Python reads mails; prints its code and takes
    /// the mail away.
    private static let reader = #"""
      import email, email.policy, glob, os, re, select, sys, time
      path, address = sys.argv[1:]
      until = time.monotonic() + 30
      while time.monotonic() < until:
          for name in glob.glob("auth.db.mail/*.eml"):
              with open(name, newline="") as file:
                  mail = email.message_from_file(file, policy=email.policy.default)
              assert not mail.defects and not mail.is_attachment(), name
              assert mail["Message-ID"] == "<%s@localhost>" % os.path.basename(name)[:-4], mail
              text = mail.get_body(("plain",)).get_content()
              link = re.search(r"gatehouse://account/(\S+)#(\S+)", text)
              if link is None:
                  continue
              assert link.group(0) in mail.get_body(("html",)).get_content(), mail
              recipients = [to.addr_spec for to in mail["To"].addresses]
              if link.group(1) == path and recipients == [address]:
                  os.unlink(name)
                  print(link.group(2))
                  sys.exit(0)
          select.select([], [], [], 0.02)
      sys.exit("no mail with %s to %s" % (path, address))
      """#

    @Test(
      "On the command line an address is verified, a password reset, an address changed and taken back"
    )
    func account_allFlows_work() async throws {
      try await Installation.run { home in
        try home.folder.write(Self.reader, to: "mail.py")
        let ending = try await home.shell(
          """
          take() { python3 mail.py "$1" "$2"; }
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
          ! gatehouse reset-password "$code"
          ! gatehouse whoami
          ! gatehouse login ada@example.com
          GATEHOUSE_PASSWORD=$other gatehouse login ada@example.com
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
        )
        let log = try home.folder.text(of: "shell.log")
        #expect(ending == .exited(0), "\(log)")
        // Nobody's mail is left for an address without an account.
        let left = try FileManager.default.contentsOfDirectory(
          atPath: home.folder.file("auth.db.mail")
        )
        for name in left {
          let text = try home.folder.text(of: "auth.db.mail/\(name)")
          #expect(!text.contains("nobody@example.com"))
        }
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
