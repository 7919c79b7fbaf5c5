internal import ServiceKit

/// The part of a report that was read so far, of which its reader may have the first lines already.
///
/// The seal is of the whole report, so the digest has those lines too.
struct ReportProgress {
  private let digest = RunningDigest()
  private(set) var lineCount: UInt64 = 0
  /// Lines that the reader has.
  private let knownCount: UInt64

  init(after knownCount: UInt64) { self.knownCount = knownCount }

  /// Adds whole lines; those that the reader does not have yet, and how many they are.
  mutating func add(
    _ bytes: [UInt8],
    lineCount count: UInt64
  ) -> (bytes: ArraySlice<UInt8>, lineCount: UInt64) {
    digest.add(bytes)
    let held = lineCount < knownCount ? min(knownCount - lineCount, count) : 0
    lineCount += count
    var rest = bytes[...]
    // JSON has no line feeds of its own.
    for _ in 0..<held {
      rest = rest.firstIndex(of: UInt8(ascii: "\n")).map { rest[($0 + 1)...] } ?? []
    }
    return (rest, count - held)
  }

  func seal(by key: SigningKey) -> ReportSeal {
    ReportSeal(lineCount: lineCount, digest: digest.value, by: key)
  }
}
