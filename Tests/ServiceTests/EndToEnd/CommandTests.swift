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
        #expect(try await home.command("auth", "--check-config").code == 0)
        try await home.start("auth")
        // Ready when it has AuthService's keys.
        try await home.start("tenancy")
        try await home.signUp("ada@example.org")
        let granted = try await home.command("auth", "grant-super-admin", "ada@example.org")
        #expect(granted.code == 0, "\(granted.text)")
        #expect(granted.text.contains("is super_admin now"))
        let unknown = try await home.command("auth", "grant-super-admin", "eve@example.org")
        #expect(unknown.code == 1)
        // Its certificate has another name than the commands expect.
        let other = try await home.command(
          "auth",
          "probe",
          environment: ["GATEHOUSE_TLS__SERVER_NAME": "other.test"]
        )
        #expect(other.code == 1, "\(other.text)")
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
        #expect(!auth.text.contains("the configuration is good"))
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
