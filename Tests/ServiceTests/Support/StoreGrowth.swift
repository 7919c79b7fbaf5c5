import Foundation
import ServiceKit
import Testing

/// How a store grows, and what docs/operations/services.md says of it.
enum StoreGrowth {
  /// Bytes that the pages of a store in use take after `change`, more than before it.
  static func bytes(of database: Database, _ change: () async throws -> Void) async throws -> Double
  {
    let before = try await size(database)
    try await change()
    return Double(try await size(database) - before)
  }

  /// How many audit records a store has of an action.
  static func records(of action: String, in database: Database) async throws -> Int64 {
    try await database.read { tx in
      try tx.first("SELECT count(*) FROM audit_log WHERE action = ?", .text(action)) {
        $0.integer(0)
      } ?? 0
    }
  }

  /// The number of a row of the page's table of changes.
  static func documented(_ row: String) throws -> Double {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let file = root.appending(path: "docs/operations/services.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(row)") })
    let cell = line.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) }
    return try #require(cell.flatMap { Double($0.trimmingCharacters(in: .whitespaces)) })
  }

  private static func size(_ database: Database) async throws -> Int64 {
    try await database.read { tx in
      let used = "SELECT (SELECT page_count FROM pragma_page_count) - freelist_count"
      let pages = try tx.first("\(used) FROM pragma_freelist_count") { $0.integer(0) }
      return (pages ?? 0) * 4096
    }
  }
}
