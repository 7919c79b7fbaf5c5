import Foundation
import Testing

/// Replays the committed inputs of the fuzz targets that are sources of this target too.
@Suite("Fuzz corpora of JSON and tokens")
struct CorpusTests {
  private static func inputs(_ name: String) throws -> [[UInt8]] {
    // From Tests/ServiceKitTests/Fuzzing to the root of the repository.
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/\(name)"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test("JSON: every input and each of its beginnings keeps the promises")
  func json_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("json")
    #expect(inputs.count >= 14)
    for input in inputs {
      for count in 0...input.count { JSONProperties.check(Array(input.prefix(count))) }
    }
  }

  @Test("Tokens: every input and each of its beginnings keeps the promises")
  func token_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("token")
    #expect(inputs.count >= 10)
    for input in inputs {
      for count in 0...input.count { TokenProperties.check(Array(input.prefix(count))) }
    }
  }
}
