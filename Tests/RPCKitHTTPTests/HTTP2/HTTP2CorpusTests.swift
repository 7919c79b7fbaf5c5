import Foundation
import Testing

@Suite("Fuzz corpus of HTTP/2", .teardown)
struct HTTP2CorpusTests {
  @Test("Every input and each of its beginnings keeps the promises")
  func corpus_keepsPromises() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../fuzz/corpora/http2")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.standardizedFileURL,
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 12)
    for file in files {
      let input = [UInt8](try Data(contentsOf: file))
      for count in 0...input.count { HTTP2Properties.check(Array(input.prefix(count))) }
    }
  }
}
