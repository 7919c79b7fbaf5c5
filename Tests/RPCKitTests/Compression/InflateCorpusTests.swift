import Foundation
import RPCKit
import Testing

/// Replays `fuzz/corpora/inflate` without a fuzzer, so that a past finding stays fixed.
@Suite("The inflate corpus")
struct InflateCorpusTests {
  /// How each committed seed must end; a file that is not listed only has to be survived.
  private static let outcomes: [String: Result<Int, InflateError>] = [
    "text-fits": .success(400), "text-one-over": .failure(.tooLarge),
    "empty-message": .success(0), "stored": .success(64), "fixed-codes": .success(400),
    "window-512": .success(400), "bomb": .failure(.tooLarge), "truncated": .failure(.truncated),
    "trailing": .failure(.trailingBytes), "preset-dictionary": .failure(.malformed),
    "bad-checksum": .failure(.malformed), "gzip-header": .failure(.malformed),
    "sync-flushes": .success(2), "distance-too-far": .failure(.malformed),
    "nothing": .failure(.truncated),
  ]

  @Test("Every input ends as it should, within its limit")
  func corpus_everyFile_endsAsListed() throws {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("fuzz/corpora/inflate")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(Self.outcomes.keys).isSubset(of: files))

    var inflater = Inflater()
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      // The fuzz target's layout: a big-endian output limit, then the stream.
      guard bytes.count >= 2 else { continue }
      let limit = Int(bytes[0]) << 8 | Int(bytes[1])
      var output = ByteBuffer()
      let outcome: Result<Int, InflateError>
      do throws(InflateError) {
        try inflater.inflate(Array(bytes[2...]).span, into: &output, byteCountMax: limit)
        outcome = .success(output.byteCount)
      } catch {
        outcome = .failure(error)
        #expect(output.byteCount == 0)
      }
      #expect(output.byteCount <= limit)
      if let expected = Self.outcomes[file] { #expect(outcome == expected, "\(file)") }
    }
  }
}
