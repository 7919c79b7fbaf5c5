import Foundation
import Testing

@testable import RPCKitHTTP

/// Replays `fuzz/corpora/http1` without a fuzzer, so that a past finding stays fixed.
@Suite("HTTP/1.1: fuzz corpus", .teardown) struct HTTP1CorpusTests {
  @Test("Every input and each of its beginnings keeps the promises")
  func corpus_keepsPromises() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../fuzz/corpora/http1")
      .standardized
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 31)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      for count in 0...input.count { HTTP1Properties.check(Array(input.prefix(count))) }
    }
  }
}
