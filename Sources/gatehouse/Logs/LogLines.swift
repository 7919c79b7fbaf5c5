/// Cuts the pieces of a file into lines.
struct LogLines {
  /// Longest line that is kept, in bytes; a longer one is none of ours and is skipped.
  static let byteCountMax = 1 << 20

  private var line: [UInt8] = []
  private var isSkipping = false

  /// Runs `body` for each line that ends in the piece.
  mutating func add(_ piece: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) rethrows
  {
    var rest = piece
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try finish(rest[..<end], body)
      rest = rest[(end + 1)...]
    }
    keep(rest)
  }

  /// Runs `body` for what is left behind the last line's end.
  mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
    try finish([], body)
  }

  private mutating func finish(
    _ end: ArraySlice<UInt8>,
    _ body: (ArraySlice<UInt8>) throws -> Void
  ) rethrows {
    keep(end)
    if !isSkipping, !line.isEmpty { try body(line[...]) }
    line.removeAll(keepingCapacity: true)
    isSkipping = false
  }

  private mutating func keep(_ part: ArraySlice<UInt8>) {
    guard !isSkipping, line.count + part.count <= Self.byteCountMax else {
      isSkipping = true
      line.removeAll()
      return
    }
    line += part
  }
}
