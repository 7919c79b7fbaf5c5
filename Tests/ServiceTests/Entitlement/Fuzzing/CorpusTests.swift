import Foundation
import Testing

/// Replays the committed inputs of the fuzz targets that are sources of this target too.
@Suite("Fuzz corpora of Apple's data")
struct CorpusTests {
  @Test("Signed data: every input, whole and cut off at many places, keeps the promises")
  func apple_corpus_keepsPromises() throws {
    try replay("apple", atLeast: 8, AppleProperties.check)
  }

  @Test("Receipts: every input, whole and cut off at many places, keeps the promises")
  func receipt_corpus_keepsPromises() throws {
    try replay("receipt", atLeast: 6, ReceiptProperties.check)
  }

  private func replay(
    _ name: String,
    atLeast fileCount: Int,
    _ check: ([UInt8]) -> Void
  ) throws {
    // From Tests/ServiceTests/Entitlement/Fuzzing to the root of the repository.
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/\(name)"),
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= fileCount)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      for count in stride(from: input.count, through: 0, by: -7) {
        check(Array(input.prefix(count)))
      }
    }
  }
}
