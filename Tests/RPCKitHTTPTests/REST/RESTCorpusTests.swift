import Foundation
import Testing

/// Replays the committed inputs of the fuzz targets of paths and queries.
@Suite("Fuzz corpora of paths and queries", .teardown)
struct RESTCorpusTests {
  private static func inputs(_ name: String) throws -> [[UInt8]] {
    // From Tests/RPCKitHTTPTests/REST to the root of the repository.
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/\(name)"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test("Paths: every input and each of its beginnings keeps the promises")
  func path_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("rest-path")
    #expect(inputs.count >= 14)
    for input in inputs {
      for count in 0...input.count { RESTPathProperties.check(Array(input.prefix(count))) }
    }
  }

  @Test("Queries: every input and each of its beginnings keeps the promises")
  func query_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("rest-query")
    #expect(inputs.count >= 11)
    for input in inputs {
      for count in 0...input.count { RESTQueryProperties.check(Array(input.prefix(count))) }
    }
  }
}
