import Foundation
import RPCKit
import Testing

/// `docs/operations/metrics.md` against what the services register, both ways.
@Suite("The table of the services' metrics")
struct MetricTableTests {
  private static let names = [
    "auth": "AuthService", "tenancy": "TenancyService", "entitlement": "EntitlementService",
  ]

  /// The metrics of each service by the table, with their types.
  private static func table() throws -> [String: [String: String]] {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let page = root.appending(path: "docs/operations/metrics.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var table: [String: [String: String]] = [:]
    for line in text.split(separator: "\n") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 6, isOurs(cells[2].dropFirst()) else { continue }
      for (name, title) in names where cells[1] == "all" || cells[1].contains(title) {
        table[name, default: [:]][cells[2].trimmingCharacters(in: ["`"])] = cells[3]
      }
    }
    return table
  }

  /// Whether a metric is in the table of the services: all but the library's.
  private static func isOurs(_ name: Substring) -> Bool {
    name.hasPrefix("gatehouse_") || name.hasPrefix("process_")
  }

  /// What a registry shows, without the library's.
  private static func registered(_ registry: MetricRegistry) -> [String: String] {
    var metrics: [String: String] = [:]
    for line in String(decoding: registry.render(), as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("# TYPE ") {
      let words = line.split(separator: " ")
      guard words.count == 4, !words[2].hasPrefix("rpckit_") else { continue }
      metrics[String(words[2])] = String(words[3])
    }
    return metrics
  }

  @Test("Each service has the metrics that the table says, and no others, all named by one pattern")
  func services_registerTheTable() async throws {
    let table = try Self.table()
    try await Product.run { product in
      for (name, registry) in product.registries {
        let registered = Self.registered(registry)
        #expect(registered == table[name], "\(name)")
        for (metric, type) in registered {
          let hasOwner =
            metric.hasPrefix("gatehouse_service_") || metric.hasPrefix("gatehouse_\(name)_")
            || metric.hasPrefix("process_") || metric == "gatehouse_build_info"
          #expect(hasOwner, "\(metric)")
          if type == "histogram" { #expect(metric.hasSuffix("_seconds"), "\(metric)") }
          #expect((type == "counter") == metric.hasSuffix("_total"), "\(metric)")
        }
      }
    }
  }
}
