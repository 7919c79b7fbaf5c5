import Foundation
import Testing

extension EndToEndTests {
  @Suite("Exports of accounts on the command line")
  struct AccountExportCommandTests {
    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }

    @Test(
      "A file has what three services know, is valid, is its owner's alone, and comes once a day"
    )
    func account_isExported() async throws {
      try await Installation.run { home in
        let schema = Self.root.appending(path: "schemas/account-export.schema.json").path
        let check = Self.root.appending(path: "scripts/checks/schemas").path
        let ending = try await home.shell(
          """
          gatehouse signup ada@example.com Ada
          gatehouse call Users/UpdateSettings '{"settings": "{\\"theme\\": \\"dark\\"}"}'
          gatehouse call Users/UpdateProfile '{"timeZone": "Europe/Berlin"}'
          gatehouse call Portfolios/Create '{"name": "Lovelace House"}'
          gatehouse call Documents/Put '{"put": {"collection": "moods", "documentId": "d1", "json": "{\\"a\\": 1}"}}'
          gatehouse export-account ada.json
          \(check) \(schema) ada.json
          stat -c %a ada.json | grep -x 600
          grep '"theme":"dark"' ada.json
          grep '"time_zone":"Europe/Berlin"' ada.json
          grep '"entity_name":"Lovelace House"' ada.json
          grep '"content":{"a":1}' ada.json
          grep '"action":"account.export"' ada.json
          ! gatehouse export-account again.json 2> refused
          grep EXPORT_TOO_SOON refused
          ! ls again.json*
          gatehouse logout
          ! gatehouse export-account again.json
          """
        )
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
      }
    }
  }
}
