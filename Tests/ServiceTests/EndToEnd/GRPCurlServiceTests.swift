import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import ServiceKit
import Testing

extension EndToEndTests {
  /// grpcurl, from PyPI, against TenancyService.
  @Suite(
    "Services by grpcurl",
    .enabled(if: InstalledTool.grpcurl.isInstalled, "scripts/setup gets it from PyPI")
  )
  struct GRPCurlServiceTests {
    /// What begins a script: `ask` runs grpcurl with the token `$TOKEN`, which is on no command line.
    private func opening(_ home: Installation, _ flat: Flat) -> String {
      """
      cd '\(InstalledTool.root.path)'
      export ADA='\(flat.owner.tokens.accessToken)' TOM='\(flat.tenant.tokens.accessToken)'
      export MALLORY='\(flat.stranger.tokens.accessToken)' TOKEN=''
      server='\(home.tenancy.url.replacing("http://", with: ""))' unit='{"unitId": "\(flat.unit)"}'
      check='{"action": "unit.update", "entityId": "\(flat.unit)"}'
      out='\(home.folder.path)'
      grpcurl='\(InstalledTool.grpcurl.executable) -plaintext -max-time 60 -expand-headers'
      ask() { $grpcurl -H 'authorization: Bearer ${TOKEN}' "$@"; }

      """
    }

    private func json(_ text: String) throws -> JSONObject {
      let limits = JSONLimits(byteCountMax: 1 << 16)
      let value = try JSONReader.read(Array(text.utf8), limits: limits)
      guard case .object(let members) = value else { return [:] }
      return members
    }

    @Test("Users get what they may read, and are told why they do not get the rest")
    func calls_areAnsweredAndRefused() async throws {
      try await Installation.run(settings: ["tenancy": ["http": ["reflection": true]]]) { home in
        let flat = try await Flat(in: home)
        let script = """
          $grpcurl $server list > $out/services
          $grpcurl $server describe tenancy.v1.CheckRequest > $out/request
          TOKEN=$TOM
          ask -d "$unit" $server tenancy.v1.Units/Get > $out/unit
          ask -d "$check" $server tenancy.v1.Permissions/Check > $out/denial
          ! ask -d "$unit" $server tenancy.v1.Units/Update > $out/denied 2>&1
          TOKEN=$ADA
          ask -d "$check" $server tenancy.v1.Permissions/Check > $out/permission
          TOKEN=$MALLORY
          ! ask -d "$unit" $server tenancy.v1.Units/Get > $out/hidden 2>&1
          ! ask -d '{}' $server tenancy.v1.Units/Get > $out/invalid 2>&1
          TOKEN=x$ADA
          ! ask -d "$unit" $server tenancy.v1.Units/Get > $out/unknown 2>&1
          """
        let ending = try await home.shell(opening(home, flat) + script)
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
        func text(_ name: String) throws -> String { try home.folder.text(of: name) }
        #expect(try text("services").split(separator: "\n").contains("tenancy.v1.Permissions"))
        #expect(try text("request").contains("\n  string entity_id = 3;\n"))
        let unit = try json(text("unit"))
        #expect(unit["id"] == .string(flat.unit) && unit["name"] == "Flat 1")
        #expect(try json(text("permission"))["allowed"] == true)
        let denial = try json(text("denial"))
        #expect(denial["allowed"] == nil && denial["reason"] == "REASON_ROLE_LACKS_ACTION")
        for (name, code, reason) in [
          ("denied", "PermissionDenied", "ROLE_LACKS_ACTION"), ("hidden", "NotFound", "NOT_FOUND"),
          ("invalid", "InvalidArgument", "FIELD_VIOLATIONS"),
          ("unknown", "Unauthenticated", "CREDENTIALS_INVALID"),
        ] {
          let refusal = try text(name)
          #expect(refusal.contains("Code: \(code)\n"), "\(refusal)")
          #expect(refusal.contains(#""reason":"\#(reason)""#), "\(refusal)")
          #expect(refusal.contains(#""requestId":"req_"#), "\(refusal)")
        }
        #expect(try text("invalid").contains(#""fieldViolations":[{"#))
      }
    }

    @Test("Without reflection, which is off by default, the files of the contracts do")
    func files_replaceReflection() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let script = """
          ! $grpcurl $server list > $out/services 2>&1
          TOKEN=$TOM
          files='-import-path proto -proto tenancy/v1/units.proto -proto google/rpc/error_details.proto'
          ask $files -d "$unit" $server tenancy.v1.Units/Get > $out/unit
          ! ask $files -d '{}' $server tenancy.v1.Units/Get > $out/invalid 2>&1
          """
        let ending = try await home.shell(opening(home, flat) + script)
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
        let refusal = try home.folder.text(of: "services")
        #expect(refusal.contains("server does not support the reflection API"), "\(refusal)")
        #expect(try json(home.folder.text(of: "unit"))["id"] == .string(flat.unit))
        let invalid = try home.folder.text(of: "invalid")
        #expect(invalid.contains(#""fieldViolations":[{"#), "\(invalid)")
      }
    }
  }
}
