import Foundation
import Testing

/// Replays the committed inputs of the fuzz target, which is a source of this target too.
@Suite("Fuzz corpus of identity tokens and key sets")
struct IdentityCorpusTests {
  @Test("Every input and each of its beginnings keeps the promises")
  func corpus_keepsPromises() throws {
    // From Tests/ServiceTests/Auth/Fuzzing to the root of the repository.
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let inputs = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/identity"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
    #expect(inputs.count >= 8)
    for input in inputs {
      for count in 0...input.count { IdentityProperties.check(Array(input.prefix(count))) }
    }
  }
}
