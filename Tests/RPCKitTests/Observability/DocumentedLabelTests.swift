import Foundation
import Testing

@testable import RPCKit

/// What the documents list of labels, against the code's own lists.
@Suite("Documented values of labels")
struct DocumentedLabelTests {
  private static func page(_ name: String) throws -> String {
    let url = URL(filePath: #filePath).appending(path: "../../../../docs/\(name)").standardized
    return try String(contentsOf: url, encoding: .utf8)
  }

  /// The words in backquotes of the last cell of a row, but for names with a dot.
  private static func words(ofRow start: String, in page: String) throws -> Set<String> {
    let row = try #require(
      page.split(separator: "\n").first { $0.hasPrefix("| `\(start)` |") },
      "\(start)"
    )
    let cells = row.split(separator: "|")
    let parts = try #require(cells.last).split(separator: "`", omittingEmptySubsequences: false)
    return Set(
      parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    )
  }

  @Test("Reasons, kinds and priorities in metrics.md are those of the code")
  func metrics_labelValues_areTheCodes() throws {
    let page = try Self.page("operations/metrics.md")
    let closed = ConnectionCloseReason.allCases.map(\.rawValue)
    let unused = ClientCloseReason.allCases.map(\.rawValue)
    let refused: [LimitName] = [.connections, .connectionsPerSource, .descriptors]
    for (metric, values) in [
      ("rpckit_connections_closed_total", closed + unused),
      ("rpckit_connections_refused_total", refused.map(\.rawValue)),
      ("rpckit_protocol_errors_total", ProtocolViolation.allCases.map(\.rawValue)),
      ("rpckit_server_calls_shed_total", ShedReason.allCases.map(\.rawValue)),
      ("rpckit_tls_handshakes_total", ["ok", "failed"]),
      ("rpckit_server_overload_refused_total", ["low", "normal", "high"]),
    ] {
      #expect(try Self.words(ofRow: metric, in: page) == Set(values), "\(metric)")
    }
  }

  @Test("Limits in operations/rpckit.md are those of the code")
  func operations_limits_areTheCodes() throws {
    let page = try Self.page("operations/rpckit.md")
    let rows = try #require(page.components(separatedBy: "| `limit` | What happened |").last)
      .components(separatedBy: "\n\n")[0]
    var documented: Set<String> = []
    for row in rows.split(separator: "\n") where row.hasPrefix("| `") {
      let cell = row.split(separator: "|")[0]
      for (index, word) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where !index.isMultiple(of: 2) {
        documented.insert(String(word))
      }
    }
    // The admin port's is counted by itself.
    #expect(documented == Set(LimitName.allCases.map(\.rawValue) + ["admin_connections"]))
  }
}
