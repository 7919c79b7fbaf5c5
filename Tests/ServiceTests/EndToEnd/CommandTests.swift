import Foundation
import Testing

extension EndToEndTests {
  @Suite("Commands of the programs, under TLS as well")
  struct CommandTests {
    @Test("Under mutual TLS a service can be probed, and a user made an operator")
    func commands_mutualTLS_reachTheirService() async throws {
      try await SecureInstallation.run { home in
        // Not even started: the probe says no, and does not hang.
        let early = try await home.command("auth", "probe")
        #expect(early.code == 1)
        #expect(early.text.contains("\(home.address("auth")): connect"), "\(early.text)")
        #expect(try await home.command("auth", "--check-config").code == 0)
        try await home.start("auth")
        // Ready when it has AuthService's keys.
        try await home.start("tenancy")
        let ada = try await home.signUp("ada@example.org")
        // Anyone can sign up with the address of somebody else.
        let unproven = try await home.command("auth", "grant-super-admin", "ada@example.org")
        #expect(unproven.code == 1)
        #expect(unproven.text.contains("has not verified that address"), "\(unproven.text)")
        let granted = try await home.command("auth", "grant-super-admin", ada)
        #expect(granted.code == 0, "\(granted.text)")
        #expect(granted.text.contains("is super_admin now"))
        let unknown = try await home.command("auth", "grant-super-admin", "eve@example.org")
        #expect(unknown.code == 1)
        #expect(unknown.text.contains("eve@example.org has no account; sign up first"))
      }
    }

    @Test("A command that TLS stops says where, and what is wrong with which certificate")
    func commands_stoppedByTLS_sayWhy() async throws {
      try await SecureInstallation.run { home in
        try await home.start("auth")
        try await home.makeStrangers()
        let cases: [(setting: String, value: String, reason: String)] = [
          (
            "SERVER_NAME", "other.test",
            "certificate verify failed: hostname mismatch"
              + " (the certificate does not name other.test)"
          ),
          (
            "SERVER_NAME", "192.0.2.1",
            "certificate verify failed: IP address mismatch"
              + " (the certificate does not name 192.0.2.1)"
          ),
          (
            "AUTHORITIES", home.folder.file("stranger.pem"),
            "certificate verify failed: unable to get local issuer certificate"
          ),
        ]
        for (setting, value, reason) in cases {
          for command in [["probe"], ["grant-super-admin", "ada@example.org"]] {
            let result = try await home.command(
              "auth",
              command,
              environment: ["GATEHOUSE_TLS__\(setting)": value]
            )
            #expect(result.code == 1)
            let place = "\(home.address("auth")): TLS "
            #expect(result.text.contains("auth-service: UNAVAILABLE: "), "\(result.text)")
            #expect(result.text.contains(place), "\(command) \(setting): \(result.text)")
            #expect(result.text.contains(reason), "\(command) \(setting): \(result.text)")
            #expect(!result.text.contains("PRIVATE KEY"))
          }
        }
        // What the running service says of the certificate that the command shows it. With TLS 1.3
        // that comes after the handshake, and the end of the connection can overtake it.
        let result = try await home.command(
          "auth",
          "probe",
          environment: ["GATEHOUSE_TLS__CERTIFICATE": home.folder.file("serverOnly.pem")]
        )
        #expect(result.code == 1)
        let reasons = ["alert unsupported certificate", "reset by peer", "roken pipe", "closed"]
        #expect(reasons.contains { result.text.contains($0) }, "\(result.text)")
      }
    }

    @Test("The settings are looked at with the files that they name, and all mistakes are said")
    func checkConfig_wrongFiles_areNamed() async throws {
      try await SecureInstallation.run { home in
        let folder = home.folder
        try folder.write("{}", to: "empty.json")
        let auth = try await home.command(
          "auth",
          "--check-config",
          environment: [
            "GATEHOUSE_SECRETS": folder.file("empty.json"),
            "GATEHOUSE_TLS__KEY": folder.file("none.pem"),
            "GATEHOUSE_PEERS__TENANCY": "tenancy",
          ]
        )
        #expect(auth.code == 2)
        #expect(auth.text.contains("setting secrets: \(folder.file("empty.json"))"))
        #expect(auth.text.contains("setting tls.key: \(folder.file("none.pem"))"))
        #expect(auth.text.contains("setting peers.tenancy"))
        #expect(!auth.text.contains("the configuration is valid"))
        // A key that belongs to another certificate.
        let key = try await home.command(
          "auth",
          "--check-config",
          environment: ["GATEHOUSE_TLS__KEY": folder.file("tenancy.key")]
        )
        #expect(key.code == 2)
        #expect(key.text.contains("setting tls: "), "\(key.text)")
        for (service, setting) in [("tenancy", "policy"), ("entitlement", "catalog")] {
          #expect(try await home.command(service, "--check-config").code == 0)
          let wrong = try await home.command(
            service,
            "--check-config",
            environment: ["GATEHOUSE_\(setting.uppercased())": folder.file("empty.json")]
          )
          #expect(wrong.code == 2)
          #expect(wrong.text.contains("setting \(setting): \(folder.file("empty.json"))"))
        }
        // Nothing was made.
        for name in ["auth.db", "tenancy.db", "entitlement.db"] {
          #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
        }
      }
    }
  }
}
