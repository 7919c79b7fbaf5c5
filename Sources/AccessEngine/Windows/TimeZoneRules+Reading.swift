/// A file that is no TZif file.
public struct TimeZoneError: Error, Hashable, CustomStringConvertible {
  /// The problem.
  public let description: String
}

extension TimeZoneRules {
  /// Bytes of a file, at most; the largest that there are have 4 kB.
  public static let byteCountMax = 256 << 10

  /// Reads the bytes of a TZif file of version 2 or later.
  ///
  /// Throws for anything else, whatever its bytes are: counts are compared with what is there before
  /// anything is reserved for them.
  public init(tzif bytes: [UInt8]) throws(TimeZoneError) {
    guard bytes.count <= Self.byteCountMax else {
      throw TimeZoneError(description: "is larger than \(Self.byteCountMax) bytes")
    }
    var reader = TZifReader(bytes)
    // The first block has 32-bit instants and is there for old readers.
    let first = try reader.header()
    guard first.version >= 2 else { throw TimeZoneError(description: "is of version 1") }
    try reader.skip(first.byteCount(instantByteCount: 4))
    let second = try reader.header()
    self = try reader.block(second)
  }
}

/// Reads a TZif file from front to back.
private struct TZifReader {
  struct Header {
    let version: Int
    /// Counts of: UT indicators, standard indicators, leap seconds, transitions, types, name bytes.
    let counts: [Int]

    var transitionCount: Int { counts[3] }
    var typeCount: Int { counts[4] }

    func byteCount(instantByteCount: Int) -> Int {
      transitionCount * (instantByteCount + 1) + typeCount * 6 + counts[5]
        + counts[2] * (instantByteCount + 4) + counts[1] + counts[0]
    }
  }

  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) throws(TimeZoneError) {
    guard count <= bytes.count - place else { throw Self.cut }
    place += count
  }

  private static var cut: TimeZoneError { TimeZoneError(description: "ends too early") }

  private mutating func integer(_ byteCount: Int) throws(TimeZoneError) -> UInt64 {
    guard byteCount <= bytes.count - place else { throw Self.cut }
    var value: UInt64 = 0
    for byte in bytes[place..<place + byteCount] { value = value << 8 | UInt64(byte) }
    place += byteCount
    return value
  }

  mutating func header() throws(TimeZoneError) -> Header {
    guard try integer(4) == 0x545A_6966 else {
      throw TimeZoneError(description: "does not begin like a TZif file")
    }
    let version = try integer(1)
    try skip(15)
    var counts: [Int] = []
    for _ in 0..<6 {
      let count = try integer(4)
      // None can be more than the file has bytes, so that nothing overflows.
      guard count <= UInt64(TimeZoneRules.byteCountMax) else { throw Self.cut }
      counts.append(Int(count))
    }
    return Header(
      version: version < UInt64(UInt8(ascii: "2")) ? 1 : 2,
      counts: counts
    )
  }

  mutating func block(_ header: Header) throws(TimeZoneError) -> TimeZoneRules {
    guard header.byteCount(instantByteCount: 8) <= bytes.count - place else { throw Self.cut }
    guard header.typeCount > 0 else { throw TimeZoneError(description: "has no offset") }
    var transitions: [Int64] = []
    for _ in 0..<header.transitionCount {
      let instant = Int64(bitPattern: try integer(8))
      if let last = transitions.last, instant <= last {
        throw TimeZoneError(description: "has transitions in the wrong order")
      }
      transitions.append(instant)
    }
    var kinds: [Int] = []
    for _ in 0..<header.transitionCount { kinds.append(Int(try integer(1))) }
    var offsets: [Int32] = []
    for _ in 0..<header.typeCount {
      let offset = Int32(truncatingIfNeeded: Int64(try integer(4)))
      // RFC 9636 allows a little more than a day to either side.
      guard (-100_000...100_000).contains(offset) else {
        throw TimeZoneError(description: "has an offset of \(offset) seconds")
      }
      offsets.append(offset)
      try skip(2)
    }
    guard kinds.allSatisfy(offsets.indices.contains) else {
      throw TimeZoneError(description: "has a transition to an offset that is not there")
    }
    try skip(header.counts[5] + header.counts[2] * 12 + header.counts[1] + header.counts[0])
    var rules: (transitions: [Int64], offsets: [Int32]) = ([], [])
    for (instant, kind) in zip(transitions, kinds)
    // Only the name changes, or what part of the offset is called daylight saving.
    where offsets[kind] != rules.offsets.last ?? offsets[0] {
      rules.transitions.append(instant)
      rules.offsets.append(offsets[kind])
    }
    let rule = try footer()
    return TimeZoneRules(
      // The rule applies after the last transition of the file, also where that changed nothing.
      transitions: rules.transitions,
      offsets: rules.offsets,
      firstOffset: offsets[0],
      rule: rule,
      ruleBegins: transitions.last ?? .min
    )
  }

  /// The last line; empty when the last transition is for good.
  private mutating func footer() throws(TimeZoneError) -> YearlyRule? {
    guard try integer(1) == 10 else { throw TimeZoneError(description: "has no last line") }
    guard let end = bytes[place...].firstIndex(of: 10) else { throw Self.cut }
    let text = bytes[place..<end]
    guard !text.isEmpty else { return nil }
    guard let rule = YearlyRule(posix: text) else {
      throw TimeZoneError(description: "has a last line that is no rule")
    }
    return rule
  }
}
