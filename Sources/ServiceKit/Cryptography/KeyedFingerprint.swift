internal import PackedTables

/// Tells byte strings apart by 256 bits, where a digest would cost more than everything else.
///
/// NH, the hash of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: Fast and Secure Message
/// Authentication", 1999, theorems 4.2 and 4.3), with words of 64 bits and two passes over keys that
/// are shifted by one pair. Under a random key, two different strings have the same fingerprint with a
/// chance of 2^-128 at most, however they were chosen: that is proven, and holds against any computing
/// power, as long as fingerprints stay inside the process that made the key. They are for tables in
/// memory alone: never stored, sent or logged.
///
/// The proof is about strings of one length. The length itself is the last pair of words here: those of
/// two strings that differ in it differ by some d, and d times the second word of that pair's key is
/// another number for each key, so that whatever the rest adds up to is met by one of 2^64 in a pass.
struct KeyedFingerprint: Sendable {
  /// The fingerprint.
  struct Value: Hashable, Sendable {
    fileprivate let first: UInt128
    fileprivate let second: UInt128

    /// The sums of the passes, for tests.
    var sums: [UInt128] { [first, second] }

    /// Some of the bits: enough for a place in a table.
    var word: UInt64 {
      UInt64(truncatingIfNeeded: first >> 64) ^ UInt64(truncatingIfNeeded: first)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(word) }
  }

  /// Pairs of words, the first one in the low half.
  private let key: [UInt128]
  /// The longest string that there is key for.
  let byteCountMax: Int

  /// Makes a key for strings of up to `byteCountMax` bytes, about as large as those.
  init(byteCountMax: Int, random: any RandomSource = SystemRandomSource()) {
    self.byteCountMax = byteCountMax
    // One more pair for the length, and one because the second pass is ahead of the first.
    let pairCount = (byteCountMax + 15) / 16 + 2
    let bytes = random.bytes(pairCount * 16)
    key = (0..<pairCount).map { bytes.span.littleEndianPair(at: $0 * 16) }
  }

  /// The fingerprint of a string; one that is too long traps.
  func value(of bytes: Span<UInt8>) -> Value {
    precondition(bytes.count <= byteCountMax, "there is no key for a string of this length")
    return total(sums(of: bytes, from: 0), UInt64(bytes.count))
  }

  /// The longest string of three that are distinguished together.
  var thirdByteCountMax: Int { min(byteCountMax / 48 * 16, 0xFFFF) }

  /// The fingerprint of three strings at once, as if each had zeros after it up to the same length;
  /// one that is too long traps.
  ///
  /// Those that have the same three lengths are, so filled up, strings of one length; the lengths are
  /// the last pair of words here too. Anyone who tells threes apart must not tell single strings apart by
  /// the same key.
  @inline(__always)
  func value(of one: Span<UInt8>, _ two: Span<UInt8>, _ three: Span<UInt8>) -> Value {
    let third = thirdByteCountMax
    precondition(
      one.count <= third && two.count <= third && three.count <= third,
      "there is no key for a string of this length"
    )
    let (a, b, c) = (
      sums(of: one, from: 0), sums(of: two, from: third / 16), sums(of: three, from: third / 8)
    )
    return total(
      (a.first &+ b.first &+ c.first, a.second &+ b.second &+ c.second),
      UInt64(one.count) | UInt64(two.count) << 16 | UInt64(three.count) << 32
    )
  }

  /// The sum of all words, and the length under the last pairs of the key.
  @inline(__always)
  private func total(_ sums: (first: UInt128, second: UInt128), _ length: UInt64) -> Value {
    let key = key.span
    var last = Passes(key: key[key.count - 2])
    last.add(UInt128(length), nextKey: key[key.count - 1])
    return Value(first: sums.first &+ last.first, second: sums.second &+ last.second)
  }

  /// The sums of both passes for a string, under the key from one of its pairs on.
  @inline(__always)
  private func sums(of bytes: Span<UInt8>, from start: Int) -> (first: UInt128, second: UInt128) {
    let key = key.span
    var passes = Passes(key: key[start])
    var place = start + 1
    var offset = 0
    while offset < bytes.count & ~15 {
      passes.add(bytes.littleEndianPair(at: offset), nextKey: key[place])
      offset &+= 16
      place &+= 1
    }
    if offset < bytes.count {
      let (low, high) = (bytes.word(at: offset), bytes.word(at: offset &+ 8))
      passes.add(UInt128(low) | UInt128(high) << 64, nextKey: key[place])
    }
    return (passes.first, passes.second)
  }
}

/// Both passes over a string, a pair of words at a time; all sums are modulo 2^64 and 2^128.
private struct Passes {
  var first: UInt128 = 0
  var second: UInt128 = 0
  private var key: UInt128

  @inline(__always)
  init(key: UInt128) { self.key = key }

  /// Adds a pair under its key in the first pass, and under the next one in the second.
  @inline(__always)
  mutating func add(_ pair: UInt128, nextKey: UInt128) {
    first &+= Self.product(pair, key)
    second &+= Self.product(pair, nextKey)
    key = nextKey
  }

  /// The product of two words, each with the key's word for its place added.
  @inline(__always)
  private static func product(_ pair: UInt128, _ key: UInt128) -> UInt128 {
    let low = UInt64(truncatingIfNeeded: pair) &+ UInt64(truncatingIfNeeded: key)
    let high = UInt64(truncatingIfNeeded: pair >> 64) &+ UInt64(truncatingIfNeeded: key >> 64)
    return UInt128(low) &* UInt128(high)
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
