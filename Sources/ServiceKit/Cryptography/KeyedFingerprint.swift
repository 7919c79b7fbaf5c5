/// Tells byte strings apart by 256 bits, where a digest would cost more than everything else.
///
/// NH, the hash of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: Fast and Secure Message
/// Authentication", 1999, theorems 4.2 and 4.3), with words of 64 bits and two passes over keys that
/// are shifted by one pair. Under a random key, two different strings of one length have the same
/// fingerprint with a chance of 2^-128 at most, however they were chosen: that is proven, and holds
/// against any computing power, as long as fingerprints stay inside the process that made the key.
/// They are for tables in memory alone: never stored, sent or logged.
struct KeyedFingerprint: Sendable {
  /// What is told apart by.
  ///
  /// The lengths are part of it, since the proof is about strings of one length.
  struct Value: Hashable, Sendable {
    fileprivate let first: UInt128
    fileprivate let second: UInt128
    fileprivate let byteCounts: UInt64

    /// What the passes gave, for tests.
    var sums: [UInt128] { [first, second] }

    /// Some of the bits: enough for a place in a table.
    var word: UInt64 {
      UInt64(truncatingIfNeeded: first >> 64) ^ UInt64(truncatingIfNeeded: first)
        ^ byteCounts
    }

    func hash(into hasher: inout Hasher) { hasher.combine(word) }
  }

  private let key: [UInt64]
  /// The longest string that there is key for.
  let byteCountMax: Int

  /// Makes a key for strings of up to `byteCountMax` bytes, about as large as those.
  init(byteCountMax: Int, random: any RandomSource = SystemRandomSource()) {
    self.byteCountMax = byteCountMax
    let pairCount = (byteCountMax + 15) / 16
    let bytes = random.bytes((pairCount + 1) * 16)
    key = (0..<(pairCount + 1) * 2).map { bytes.span.littleEndianWord(at: $0 * 8) }
  }

  /// The fingerprint of a string; one that is too long traps.
  func value(of bytes: Span<UInt8>) -> Value {
    precondition(bytes.count <= byteCountMax, "there is no key for a string of this length")
    let sums = sums(of: bytes, from: 0)
    return Value(first: sums.first, second: sums.second, byteCounts: UInt64(bytes.count))
  }

  /// The longest string of three that are told apart together.
  var thirdByteCountMax: Int { min(byteCountMax / 48 * 16, 0xFFFF) }

  /// The fingerprint of three strings at once, as if each had zeros after it up to the same length;
  /// one that is too long traps.
  ///
  /// Those that have the same three lengths are, so filled up, strings of one length. Whoever tells
  /// threes apart must not tell single strings apart by the same key.
  @inline(__always)
  func value(of one: Span<UInt8>, _ two: Span<UInt8>, _ three: Span<UInt8>) -> Value {
    let third = thirdByteCountMax
    precondition(
      one.count <= third && two.count <= third && three.count <= third,
      "there is no key for a string of this length"
    )
    let (a, b, c) = (
      sums(of: one, from: 0), sums(of: two, from: third / 8), sums(of: three, from: third / 4)
    )
    return Value(
      first: a.first &+ b.first &+ c.first,
      second: a.second &+ b.second &+ c.second,
      byteCounts: UInt64(one.count) | UInt64(two.count) << 16 | UInt64(three.count) << 32
    )
  }

  /// What both passes add up for a string, under the key from one of its words on.
  @inline(__always)
  private func sums(of bytes: Span<UInt8>, from start: Int) -> (first: UInt128, second: UInt128) {
    let key = key.span
    var (first, second) = (UInt128(0), UInt128(0))
    var place = start
    var offset = 0
    while offset < bytes.count {
      let (low, high) = (bytes.word(at: offset), bytes.word(at: offset + 8))
      // All sums are modulo 2^64 and 2^128.
      first &+= UInt128(low &+ key[place]) &* UInt128(high &+ key[place + 1])
      second &+= UInt128(low &+ key[place + 2]) &* UInt128(high &+ key[place + 3])
      offset += 16
      place += 2
    }
    return (first, second)
  }
}

extension Span<UInt8> {
  /// Eight bytes as one number, with zeros for those beyond the end.
  @inline(__always)
  fileprivate func word(at offset: Int) -> UInt64 {
    if offset + 8 <= count { return littleEndianWord(at: offset) }
    return offset < count ? littleEndianRest(at: offset) : 0
  }
}
