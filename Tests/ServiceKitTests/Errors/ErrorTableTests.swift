import Foundation
import RPCKit
import Testing

@testable import ServiceKit

/// `docs/reference/errors.md` against the sources, both ways.
@Suite("The table of errors")
struct ErrorTableTests {
  /// From Tests/ServiceKitTests/Errors to the root of the repository.
  private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// Where the reasons of a heading come from, and what else looks like one there.
  private struct Origin: Sendable {
    let heading: String
    let folders: [String]
    let others: Set<String>
  }

  private static let origins = [
    Origin(
      heading: "All services",
      folders: ["ServiceKit"],
      others: [
        // Decisions of TenancyService, which it sends by itself.
        "ALLOWED", "UNKNOWN",
        "BEGIN", "COMMIT", "ROLLBACK", "SHA256", "ES256", "RS256",
        "GATEHOUSE_AUTH", "GATEHOUSE_ENTITLEMENT", "GATEHOUSE_IMAGE", "GATEHOUSE_KEYS",
        "GATEHOUSE_PASSWORD", "GATEHOUSE_TENANCY", "GATEHOUSE_", "REASON_",
        // Types of columns.
        "INTEGER", "TEXT", "BLOB",
        // An argument of a command.
        "FILE",
      ]
    ),
    Origin(
      heading: "AuthService",
      folders: ["AuthService"],
      others: [
        // Arguments of commands, and variables that the mail command gets.
        "USER", "FILE", "FOLDER", "ADDRESS", "PATH", "HOME", "LANG",
        // Words of SMTP's, digests of other systems, and the digits of base32.
        "EHLO", "STARTTLS", "AUTH", "LOGIN", "PLAIN", "MAIL", "RCPT", "DATA", "SMTPUTF8",
        "SSHA", "SSHA256", "SSHA512", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        // A name of an algorithm, and Apple's identifiers in an example.
        "RS256", "ABC123DEFG", "DEF123GHIJ",
      ]
    ),
    Origin(
      heading: "TenancyService",
      folders: ["TenancyService", "AccessEngine"],
      others: [
        "ALLOWED", "GHTN",
        // Of records in a history, which no call is refused with.
        "COMMAND_FAILED", "COMMAND_EXPIRED",
        // A method of HTTP, and a word of SQL.
        "HEAD", "DESC",
      ]
    ),
    Origin(
      heading: "EntitlementService",
      folders: ["EntitlementService"],
      others: [
        // Of an answer, and of a denial that is told as NOT_FOUND.
        "RETRY", "NOT_SELF",
        // Words of OpenFeature's.
        "STATIC", "TARGETING_MATCH",
        // Words of Apple's.
        "ES256", "SANDBOX", "FAMILY_SHARED", "RESCIND_CONSENT", "FREE_TRIAL", "TEST",
        "ONE_TIME_CHARGE", "SUBSCRIBED", "OFFER_REDEEMED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED",
        "REFUND", "REFUND_REVERSED", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REVOKE",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "PRICE_INCREASE", "PRICE_CHANGE",
        "METADATA_UPDATE", "MIGRATION", "EXTERNAL_PURCHASE_TOKEN",
      ]
    ),
  ]

  private struct Row {
    let reason: String
    let codes: String
    let canRetry: Bool
  }

  /// The rows below each heading.
  private static func table() throws -> [String: [Row]] {
    let page = root.appending(path: "docs/reference/errors.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var rows: [String: [Row]] = [:]
    var heading = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, cells[0].hasPrefix("`") else { continue }
      rows[heading, default: []].append(
        Row(
          reason: cells[0].trimmingCharacters(in: ["`"]),
          codes: cells[1],
          canRetry: cells[3] == "Yes"
        )
      )
    }
    return rows
  }

  /// Whatever is written like a reason in the sources of a folder; of one that is put together, the
  /// beginning.
  private static func written(in folder: String) throws -> Set<String> {
    let sources = root.appending(path: "Sources/\(folder)")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var found: Set<String> = []
    for case let file as String in files
    where file.hasSuffix(".swift") && !file.contains("Storage/PostgreSQL/")
      && !file.contains("Storage/Engine/") && !file.contains("Console/Generated/")
    {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for match in text.matches(of: #/"([A-Z][A-Z0-9_]{3,})("|\\\()/#) {
        found.insert(match.2 == "\"" ? String(match.1) : "\(match.1)…")
      }
    }
    return found
  }

  @Test("Every reason of the services is in the table of its service, and the other way round")
  func reasons_ofServices_areAllListed() throws {
    let table = try Self.table()
    for origin in Self.origins {
      let listed = Set(try #require(table[origin.heading]).map(\.reason))
      let written = try origin.folders.reduce(into: Set<String>()) {
        $0.formUnion(try Self.written(in: $1))
      }
      #expect(written.subtracting(origin.others) == listed, "\(origin.heading)")
      #expect(
        origin.others.isSubset(of: written),
        "\(origin.heading) no longer has what is excepted"
      )
    }
  }

  @Test("Every reason of the library is in its table, and the other way round")
  func reasons_ofLibrary_areAllListed() throws {
    let listed = try #require(Self.table()["The library"]).map(\.reason)
    #expect(listed == LibraryReason.allCases.map(\.rawValue))
  }

  @Test("What is unavailable may be asked for again, and what is wrong in itself may not")
  func retry_fitsTheCode() throws {
    for row in try Self.table().values.joined() {
      if row.codes == "UNAVAILABLE" { #expect(row.canRetry, "\(row.reason)") }
      // Of what is aborted, the whole of it may be begun again (google/rpc/code.proto).
      if !["UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED"].contains(row.codes) {
        #expect(!row.canRetry, "\(row.reason)")
      }
    }
  }
}
