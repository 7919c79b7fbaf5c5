import Foundation
import RPCKitTesting
import Testing

/// Replays the committed inputs of the fuzz target of proxies' fields, and makes some of their parts.
@Suite("Fuzz corpus of proxies' fields", .teardown) struct ForwardedCorpusTests {
  @Test("Every input and each of its beginnings keeps the promises")
  func corpus_keepsPromises() throws {
    // From Tests/RPCKitHTTPTests/Proxies to the root of the repository.
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let inputs = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("fuzz/corpora/forwarded"),
      includingPropertiesForKeys: nil
    ).map { [UInt8](try Data(contentsOf: $0)) }
    #expect(inputs.count >= 10)
    for input in inputs {
      for count in 0...input.count { ForwardedProperties.check(Array(input.prefix(count))) }
    }
  }

  @Test("What is put together of the syntax keeps the promises")
  func parts_keepPromises() {
    let parts = [
      "for=", "For=", "1.1.1.1", "10.0.0.1", "\"", "\\", ",", ";", " ", "\t", "[2001:db8::1]",
      ":80",
      "unknown", "proto=http", "x=", "=", "\u{e9}", "_a",
    ]
    var random = SimulationRandom(seed: 16)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...12, using: &random)
      let text = (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }
      ForwardedProperties.check(Array(text.joined().utf8))
    }
  }
}
