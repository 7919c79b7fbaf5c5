internal import RPCKit

/// One line of a head, of a chunk or of trailers, while it arrives.
///
/// Lines end with CR LF and nothing else. RFC 9112 section 2.2 lets a recipient take a bare LF for the end; what one
/// takes for an end and another does not is how requests are smuggled.
struct HTTP1Line {
  /// Where a line is that has arrived.
  enum Arrival {
    /// At this place of the bytes that were given; it came at once and was not copied.
    case inPlace(Range<Int>)
    /// These bytes, which came in pieces.
    case gathered([UInt8])

    var isEmpty: Bool {
      switch self {
      case .inPlace(let range): range.isEmpty
      case .gathered(let bytes): bytes.isEmpty
      }
    }
  }

  /// The part of a line that has arrived and is not complete.
  private(set) var gathered: [UInt8] = []

  /// Whether a part of a line has arrived.
  var hasBegun: Bool { !gathered.isEmpty }

  /// Looks for the end of the line and takes the bytes up to it; nil when more are needed.
  ///
  /// What is refused does not depend on how the bytes were cut: a line is too long as soon as its end could
  /// only come too late, and nothing else is looked at before its end.
  mutating func next(
    _ bytes: Span<UInt8>,
    _ offset: inout Int,
    byteCountMax: Int,
    tooLong: HTTP1Rejection
  ) throws(HTTP1Rejection) -> Arrival? {
    // With the CR, and without the LF.
    let room = byteCountMax + 1 - gathered.count
    let start = offset
    let end = max(start, min(bytes.count, start + room + 1))
    offset = bytes.place(of: 0x0A, in: start..<end) ?? end
    guard offset - start <= room else { throw tooLong }
    guard offset < bytes.count else {
      append(bytes.extracting(start..<offset))
      return nil
    }
    offset += 1
    guard !gathered.isEmpty else {
      guard offset - start >= 2, bytes[offset - 2] == 0x0D else { throw Self.bareLineFeed }
      return .inPlace(start..<(offset - 2))
    }
    append(bytes.extracting(start..<(offset - 1)))
    guard gathered.last == 0x0D else { throw Self.bareLineFeed }
    gathered.removeLast()
    defer { gathered = [] }
    return .gathered(gathered)
  }

  private static let bareLineFeed = HTTP1Rejection.badRequest("a line ends without CR")

  private mutating func append(_ bytes: Span<UInt8>) {
    gathered.reserveCapacity(gathered.count + bytes.count)
    for index in bytes.indices { gathered.append(bytes[index]) }
  }
}
