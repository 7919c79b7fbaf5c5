import Foundation
import Testing

/// Replays the committed inputs of the fuzz targets whose sources are shared with this target.
@Suite(.teardown) struct CorpusTests {
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

  @Test func grpc_everyInputAndItsBeginnings_keepPromises() throws {
    let inputs = try Self.inputs("grpc")
    #expect(inputs.count >= 14)
    for input in inputs {
      for count in 0...input.count { CallContentProperties.check(Array(input.prefix(count))) }
    }
  }
}
