import Foundation
import Testing

/// Replays the committed inputs of the fuzz target that is a source of this target too.
@Suite("Fuzz corpus of Apple's data")
struct CorpusTests {
  @Test("Signed data: every input, whole and cut off at many places, keeps the promises")
  func apple_corpus_keepsPromises() throws {
    // From Tests/ServiceTests/Entitlement/Fuzzing to the root of the repository.
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/apple"),
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 8)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      for count in stride(from: input.count, through: 0, by: -7) {
        AppleProperties.check(Array(input.prefix(count)))
      }
    }
  }
}
