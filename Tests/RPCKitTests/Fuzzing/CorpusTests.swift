import Foundation
import Testing

/// Replays the committed inputs of the fuzz targets whose sources are shared with this target.
@Suite("Fuzz corpora")
struct CorpusTests {
  private static func inputs(_ name: String) throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("fuzz/corpora/\(name)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    return try files.map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test("Frames: every input and each of its beginnings keeps the promises")
  func frame_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("frame")
    #expect(inputs.count >= 6)
    for input in inputs {
      for count in 0...input.count { FrameProperties.check(Array(input.prefix(count))) }
    }
  }

  @Test("Envelopes: every input and each of its beginnings keeps the promises")
  func envelope_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("envelope")
    #expect(inputs.count >= 5)
    for input in inputs {
      for count in 0...input.count { EnvelopeProperties.check(Array(input.prefix(count))) }
    }
  }

  @Test("Metadata: every input and each of its beginnings keeps the promises")
  func metadata_corpus_keepsPromises() throws {
    let inputs = try Self.inputs("metadata")
    #expect(inputs.count >= 3)
    for input in inputs {
      for count in 0...input.count { MetadataProperties.check(Array(input.prefix(count))) }
    }
  }
}
