import Contracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// What docs/operations.md says of how a store grows.
@Suite("How much a change leaves behind", .timeLimit(.minutes(5)))
struct GrowthTests {
  /// Bytes that the file of a store grows by with each of `count` changes.
  private func growth(
    _ stage: TenancyStage,
    of count: Int,
    _ change: () async throws -> Void
  ) async throws -> Double {
    func size() async throws -> Int64 {
      try await stage.service.database.read { tx in
        let used = "SELECT (SELECT page_count FROM pragma_page_count) - freelist_count"
        let pages = try tx.first("\(used) FROM pragma_freelist_count") { $0.integer(0) }
        return (pages ?? 0) * 4096
      }
    }
    let before = try await size()
    try await change()
    return Double(try await size() - before) / Double(count)
  }

  /// The number of a row of the page's table.
  private func documented(_ row: String) throws -> Double {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let page = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(row)") })
    let cell = line.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) }
    return try #require(cell.flatMap { Double($0.trimmingCharacters(in: .whitespaces)) })
  }

  @Test(
    "Documents and roles leave what the page says"
  )
  func changes_growAsDocumented() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_01hzxw5v5m4q2k8r3t6y9b7c0d")
      func put() async throws {
        for _ in 0..<10 {
          try await ada.write((0..<200).map { ada.putting("entry-\($0)", #"{"n":1}"#) })
        }
      }
      // The documents themselves are there already.
      try await put()
      let document = try await growth(stage, of: 2000, put)
      #expect((0.7...1.3).contains(document / (try documented("a document"))), "\(document)")

      let home = try await Building(stage, name: "home")
      func grant() async throws {
        for number in 0..<500 {
          try await stage.grant(
            "tenant",
            on: home.unit,
            to: "usr_01hzxw5v5m4q2k8r3t6y9b\(1000 + number)",
            by: home.owner
          )
        }
      }
      let role = try await growth(stage, of: 500, grant)
      #expect((0.7...1.5).contains(role / (try documented("a role"))), "\(role)")
    }
  }
}
