internal import RPCKit
internal import ServiceKit

/// Reads a file with a report and tells whether it is as the service signed it, in whatever format.
struct ReportVerifier {
  private var format: ReportFormat?
  /// Lines that have to come next, before or after those of the report.
  private var expected: ArraySlice<String> = []
  private let digest = RunningDigest()
  private var lineCount: UInt64 = 0
  private var nameCount: UInt64 = 0
  private var textLineCount = 0
  /// Bytes of the lines that were taken, with their ends.
  private var byteCount = 0
  private var seal: ReportSeal?

  /// Reads a file; the seal that all of its lines agree with.
  ///
  /// Throws `FileError` for a file that is no report, is cut off, or was changed.
  static func read(
    _ path: String
  ) throws -> (seal: ReportSeal, lineCount: UInt64, nameCount: UInt64) {
    var verifier = ReportVerifier()
    var lines = LogLines()
    var byteCount = 0
    do {
      let file = try FilePieces(path)
      while let piece = try file.next() {
        byteCount += piece.count
        try lines.add(piece) { try verifier.take(Array($0)) }
      }
      try lines.finish { _ in throw VerificationError("does not end with a whole line") }
      // Lines that are empty or too long to be any of ours were not taken.
      guard byteCount == verifier.byteCount else {
        throw VerificationError("has lines that are not those of a report")
      }
      return (try verifier.finished(), verifier.lineCount, verifier.nameCount)
    } catch let error as VerificationError {
      throw FileError("\(path) \(error.problem)")
    }
  }

  private struct VerificationError: Error {
    let problem: String
    init(_ problem: String) { self.problem = problem }
  }

  private mutating func take(_ bytes: [UInt8]) throws(VerificationError) {
    textLineCount += 1
    byteCount += bytes.count + 1
    if textLineCount == 1 {
      guard let found = ReportFormat.of(firstLine: bytes) else {
        throw VerificationError("is not a report of gatehouse")
      }
      format = found
      expected = found.opening[...]
    }
    if let next = expected.first {
      guard Array(next.utf8) == bytes else { throw unexpected }
      expected = expected.dropFirst()
      return
    }
    guard seal == nil, let format, let line = format.line(of: bytes) else { throw unexpected }
    guard line.kind != .seal else {
      guard let found = ReportSeal(line) else { throw unexpected }
      seal = found
      expected = format.closing[...]
      return
    }
    guard line.kind != .person else {
      nameCount += 1
      return
    }
    // Names come behind everything that they explain.
    guard nameCount == 0 else { throw unexpected }
    digest.add(line.json)
    lineCount += 1
  }

  private var unexpected: VerificationError {
    VerificationError("was changed: line \(textLineCount) is not as gatehouse writes it")
  }

  private func finished() throws(VerificationError) -> ReportSeal {
    guard let seal, expected.isEmpty else {
      throw VerificationError("is incomplete: its end is missing")
    }
    guard seal.matches(lineCount: lineCount, digest: digest.value) else {
      throw VerificationError("was changed: its lines are not those that were signed")
    }
    return seal
  }
}
