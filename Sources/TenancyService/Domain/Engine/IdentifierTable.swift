/// Gives identifiers small numbers, for ever.
///
/// All bytes lie in one array and the hash table holds numbers only, so that a million identifiers
/// cost some fifty bytes each, and finding one allocates nothing. Compared byte by byte: a store that
/// folds case would make two subjects one.
struct IdentifierTable: Sendable {
  private var bytes: [UInt8] = []
  /// Where each identifier ends in `bytes`.
  private var ends: [UInt32] = []
  /// Handle + 1, or 0 for a free place.
  ///
  /// The count is a power of two.
  private var places = [UInt32](repeating: 0, count: 16)
  private let seed: UInt64

  init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

  /// How many there are; handles are below this.
  var count: Int { ends.count }

  /// The handle of an identifier that was interned.
  func find(_ identifier: String) -> UInt32? {
    let key = identifier.utf8.span
    var place = Int(truncatingIfNeeded: hash(key)) & (places.count - 1)
    while places[place] != 0 {
      let handle = places[place] - 1
      if matches(handle, key) { return handle }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// The handle of an identifier; a new one if it has none yet.
  mutating func intern(_ identifier: String) -> UInt32 {
    if let handle = find(identifier) { return handle }
    let handle = UInt32(ends.count)
    bytes.append(contentsOf: identifier.utf8)
    precondition(bytes.count <= Int(UInt32.max), "more than four gigabytes of identifiers")
    ends.append(UInt32(bytes.count))
    if ends.count * 2 > places.count { grow() } else { insert(handle) }
    return handle
  }

  /// The identifier of a handle.
  func text(_ handle: UInt32) -> String {
    String(decoding: bytes[range(handle)], as: UTF8.self)
  }

  /// Whether the identifier of the first handle sorts before that of the second, as bytes.
  func isOrdered(_ first: UInt32, before second: UInt32) -> Bool {
    bytes[range(first)].lexicographicallyPrecedes(bytes[range(second)])
  }

  private func range(_ handle: UInt32) -> Range<Int> {
    let start = handle == 0 ? 0 : Int(ends[Int(handle) - 1])
    return start..<Int(ends[Int(handle)])
  }

  private func matches(_ handle: UInt32, _ key: borrowing Span<UInt8>) -> Bool {
    let range = range(handle)
    guard range.count == key.count else { return false }
    var index = 0
    while index < key.count {
      guard bytes[range.lowerBound + index] == key[index] else { return false }
      index += 1
    }
    return true
  }

  /// FNV-1a from a random start, then mixed (fmix64 of MurmurHash3): FNV's low bits are poor.
  private func hash(_ key: borrowing Span<UInt8>) -> UInt64 {
    var hash = seed ^ 0xcbf2_9ce4_8422_2325
    var index = 0
    while index < key.count {
      hash = (hash ^ UInt64(key[index])) &* 0x100_0000_01b3
      index += 1
    }
    return Mixing.mixed(hash)
  }

  private mutating func grow() {
    places = [UInt32](repeating: 0, count: places.count * 2)
    for handle in 0..<UInt32(ends.count) { insert(handle) }
  }

  private mutating func insert(_ handle: UInt32) {
    var place = Int(truncatingIfNeeded: hash(bytes.span.extracting(range(handle))))
    place &= places.count - 1
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = handle + 1
  }
}

/// Spreads the bits of a number over all of them.
enum Mixing {
  /// The finaliser of MurmurHash3.
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
    value = (value ^ value >> 33) &* 0xc4ce_b9fe_1a85_ec53
    return value ^ value >> 33
  }
}
