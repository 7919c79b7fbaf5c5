import Foundation
import Testing

/// Conversations of docs/reference/protocol.md as bytes, in `Transcripts/`, held against our server and client.
///
/// `RPCKIT_REWRITE_TRANSCRIPTS=1` writes into the files what our end says now; the difference is
/// then for a reader to judge.
@Suite("Transcripts", .teardown)
struct TranscriptTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Transcripts")

  private static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (files ?? []).filter { $0.hasSuffix(".txt") }.sorted()
  }()

  private static let rewrites =
    ProcessInfo.processInfo.environment["RPCKIT_REWRITE_TRANSCRIPTS"] != nil

  @Test("our end says byte for byte what the transcript says", arguments: names)
  func transcript_played_staysTheSame(name: String) throws {
    let file = Self.folder.appendingPathComponent(name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let played = try TranscriptStage(try Transcript(text)).played().text
    if Self.rewrites { try played.write(to: file, atomically: true, encoding: .utf8) }
    let written = text.split(separator: "\n", omittingEmptySubsequences: false)
    let lines = played.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !Self.rewrites {
      let expected = index < written.count ? written[index] : "the end"
      try #require(line == expected, "\(name):\(index + 1)")
    }
    #expect(Self.rewrites || lines.count == written.count, "\(name) goes on")
  }

  @Test("both ends and all kinds of conversation are there")
  func transcripts_folder_isComplete() throws {
    #expect(Self.names.count >= 12)
    let sides = try Self.names.map { name in
      let file = Self.folder.appendingPathComponent(name)
      return try Transcript(String(contentsOf: file, encoding: .utf8)).played
    }
    #expect(sides.contains(.client) && sides.contains(.server))
  }

  @Test("a transcript that is written as it was read is the same")
  func text_readAndWritten_isTheSame() throws {
    let text = """
      # A note.
      plays: client

      > 00000008 00000001 01 00 | 0a03612e42120143
          # request 1: a.B/C
      < 00000020 00000001 03 10 | 61x32
          # data 1: [deflated], 32 deflated bytes
      > 0000
          # not a whole frame
      ! act
      = outcome

      """
    #expect(try Transcript(text).text == text)
    #expect(throws: Transcript.SyntaxError.self) { try Transcript("plays: client\n? what") }
    #expect(throws: Transcript.SyntaxError.self) { try Transcript("plays: client\n> 0") }
  }
}
