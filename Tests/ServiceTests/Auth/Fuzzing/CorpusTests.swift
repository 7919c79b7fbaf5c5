import Foundation
import Testing

/// Replays the committed inputs of the fuzz target that is a source of this target too.
@Suite("Fuzz corpus of passkeys")
struct CorpusTests {
  @Test("Passkeys: every input, whole and cut off at many places, keeps the promises")
  func passkey_corpus_keepsPromises() throws {
    // From Tests/ServiceTests/Auth/Fuzzing to the root of the repository.
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let inputs = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/passkey"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
    #expect(inputs.count >= 20)
    for input in inputs {
      for count in stride(from: 0, through: input.count, by: max(1, input.count / 64)) {
        PasskeyProperties.check(Array(input.prefix(count)))
      }
      PasskeyProperties.check(input)
    }
  }
}
