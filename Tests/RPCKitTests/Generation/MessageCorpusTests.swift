import TestingContracts
import Foundation
import RPCKit
import RPCKitTesting
import Testing

/// Replays the fuzzer's seeds, and what it once found, in every test run.
@Suite struct MessageCorpusTests {
  private static let folder = Protoc.root.appending(path: "fuzz/corpora/message")

  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

  @Test("The corpus is there")
  func corpus_isNotEmpty() {
    #expect(Self.names.count >= 4)
  }

  @Test("No file of the corpus traps, as any message", arguments: names)
  func corpusFile_asAnyMessage_neverTraps(name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: name))).dropFirst()
    let span = Array(bytes)
    MessageProperties.check(Testing_V1.Rich.self, span.span)
    MessageProperties.check(Testing_V1.Node.self, span.span)
    MessageProperties.check(Testing_V1.Ruled.self, span.span)
    MessageProperties.check(Benchmark_V1.CheckRequest.self, span.span)
  }

  @Test("The seed of everything is read whole")
  func seed_everything_isRead() throws {
    let file = Self.folder.appending(path: "rich-everything")
    if ProcessInfo.processInfo.environment["RPCKIT_WRITE_CORPUS"] != nil {
      try Data([0] + RichExamples.everything.encoded()).write(to: file)
    }
    let bytes = [UInt8](try Data(contentsOf: file))
    #expect(bytes.first == 0)
    #expect(try Testing_V1.Rich(encoded: Array(bytes.dropFirst())) == RichExamples.everything)
  }
}
