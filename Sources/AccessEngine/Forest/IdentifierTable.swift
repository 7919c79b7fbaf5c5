internal import PackedTables

/// Gives identifiers small numbers, until they are removed.
///
/// An identifier of up to 31 bytes, which all of ours are, lies in four words that are hashed and
/// compared as such. The hash table holds 32 bits of the hash beside each number, so that words are
/// read only of the identifier that is looked for. Finding one allocates nothing and touches two
/// cache lines. Compared byte by byte: a store that folds case would make two subjects one.
struct IdentifierTable: Sendable {
  /// Bytes, first ones highest, and their count in the last byte, so that numbers sort as bytes do.
  struct Words: Equatable, Sendable, BitwiseCopyable {
    var first: UInt64
    var second: UInt64
    var third: UInt64
    var fourth: UInt64
  }

  /// An identifier that is looked for.
  struct Key: Sendable {
    /// Nil when it does not fit.
    let words: Words?
    let hash: UInt64
  }

  private var words = LargeArray<Words>()
  /// Identifiers that do not fit, and their numbers; `words` holds `tooLong` for them.
  private var long: [String: UInt32] = [:]
  private var longTexts: [UInt32: String] = [:]
  /// Handles of removed identifiers, whose words are `tooLong` as well; they are given again.
  private var free: [UInt32] = []
  /// The hash's upper half above handle + 1, or 0 for a free place.
  ///
  /// The count is a power of two.
  private var places = LargeArray<UInt64>(repeating: 0, count: 16)
  private let seed: UInt64

  private static let byteCountMax = 31
  private static let tooLong = Words(first: .max, second: .max, third: .max, fourth: .max)

  init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

  /// How many identifiers there are.
  var count: Int { words.count - free.count }

  /// The handle of an identifier that was interned.
  func find(_ identifier: String) -> UInt32? { find(key(identifier), identifier) }

  /// Prepares looking for an identifier.
  @inline(__always)
  func key(_ identifier: String) -> Key {
    let bytes = identifier.utf8.span
    guard bytes.count <= Self.byteCountMax else { return Key(words: nil, hash: 0) }
    let words = Words(
      first: Self.word(bytes, from: 0),
      second: Self.word(bytes, from: 8),
      third: Self.word(bytes, from: 16),
      fourth: Self.word(bytes, from: 24) | UInt64(bytes.count)
    )
    return Key(words: words, hash: hash(words))
  }

  /// The value at the place where a key is usually found.
  ///
  /// Anyone who looks for two identifiers asks for both first, so that the processor waits for memory
  /// once.
  @inline(__always)
  func guess(_ key: Key) -> UInt64 {
    places[Int(truncatingIfNeeded: key.hash) & (places.count - 1)]
  }

  /// The handle of an identifier that was interned, by its key.
  @inline(__always)
  func find(_ key: Key, _ identifier: String) -> UInt32? {
    find(key, guess: guess(key), identifier)
  }

  /// The handle of an identifier that was interned, by its key and `guess`.
  @inline(__always)
  func find(_ key: Key, guess: UInt64, _ identifier: String) -> UInt32? {
    guard let wanted = key.words else { return long[identifier] }
    var place = Int(truncatingIfNeeded: key.hash)
    var found = guess
    while found != 0 {
      if found >> 32 == key.hash >> 32 {
        let handle = UInt32(truncatingIfNeeded: found) - 1
        if words[Int(handle)] == wanted { return handle }
      }
      place += 1
      found = places[place & (places.count - 1)]
    }
    return nil
  }

  /// The handle of an identifier; a new one if it has none yet.
  mutating func intern(_ identifier: String) -> UInt32 {
    let key = key(identifier)
    if let handle = find(key, identifier) { return handle }
    let handle = add(key.words ?? Self.tooLong)
    if key.words == nil {
      long[identifier] = handle
      longTexts[handle] = identifier
    } else if words.count * 2 > places.count {
      grow()
    } else {
      insert(handle)
    }
    return handle
  }

  /// Forgets the identifier of a handle, which may become another one's.
  mutating func remove(_ handle: UInt32) {
    if let text = longTexts.removeValue(forKey: handle) {
      long[text] = nil
    } else {
      freePlace(place(of: handle))
    }
    words[Int(handle)] = Self.tooLong
    free.append(handle)
  }

  /// The identifier of a handle.
  func text(_ handle: UInt32) -> String {
    let words = words[Int(handle)]
    if words == Self.tooLong, let text = longTexts[handle] { return text }
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    Self.spread(words.first, to: &bytes, from: 0)
    Self.spread(words.second, to: &bytes, from: 8)
    Self.spread(words.third, to: &bytes, from: 16)
    Self.spread(words.fourth, to: &bytes, from: 24)
    let text = bytes.span.extracting(..<Int(words.fourth & 0xff))
    // They came out of a string, so they are one.
    guard let text = try? UTF8Span(validating: text) else {
      preconditionFailure("an identifier in memory is no text")
    }
    return String(copying: text)
  }

  /// The identifier of a handle as a number, the same in every table and process.
  func fingerprint(_ handle: UInt32) -> UInt64 {
    let words = words[Int(handle)]
    guard words == Self.tooLong else {
      let first = Mixing.mixed(words.first &+ Mixing.mixed(words.second))
      return Mixing.mixed(first ^ Mixing.mixed(words.third &+ Mixing.mixed(words.fourth)))
    }
    return text(handle).utf8.reduce(0) { Mixing.mixed($0 ^ UInt64($1)) }
  }

  /// Whether the identifier of the first handle sorts before that of the second, as bytes.
  func isOrdered(_ first: UInt32, before second: UInt32) -> Bool {
    let (left, right) = (words[Int(first)], words[Int(second)])
    if left == Self.tooLong || right == Self.tooLong {
      return text(first).utf8.lexicographicallyPrecedes(text(second).utf8)
    }
    return (left.first, left.second, left.third, left.fourth)
      < (right.first, right.second, right.third, right.fourth)
  }

  /// Writes the bytes of a word, the highest first.
  @inline(__always)
  private static func spread(
    _ word: UInt64,
    to bytes: inout InlineArray<32, UInt8>,
    from start: Int
  ) {
    for place in 0..<8 {
      bytes[start + place] = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * place))
    }
  }

  /// Up to eight bytes, the first one highest.
  @inline(__always)
  private static func word(_ bytes: borrowing Span<UInt8>, from start: Int) -> UInt64 {
    var word: UInt64 = 0
    let end = start + 8
    if end <= bytes.count { return bytes.littleEndianWord(at: start).byteSwapped }
    guard start < bytes.count else { return 0 }
    for index in start..<bytes.count { word = word << 8 | UInt64(bytes[index]) }
    return word << UInt64(8 * (end - bytes.count))
  }

  /// Multiplied and folded in pairs from a random start (as wyhash does).
  @inline(__always)
  private func hash(_ key: Words) -> UInt64 {
    let first = (key.first ^ seed).multipliedFullWidth(by: key.second ^ 0xa076_1d64_78bd_642f)
    let second = (key.third ^ seed).multipliedFullWidth(by: key.fourth ^ 0xe703_7ed1_a0b4_28db)
    return Mixing.mixed(first.high ^ first.low ^ (second.high &+ second.low &* 3))
  }

  private mutating func grow() {
    places = LargeArray(repeating: 0, count: places.count * 2)
    for handle in 0..<UInt32(words.count) where words[Int(handle)] != Self.tooLong {
      insert(handle)
    }
  }

  private mutating func add(_ new: Words) -> UInt32 {
    if let handle = free.popLast() {
      words[Int(handle)] = new
      return handle
    }
    words.append(new)
    return UInt32(words.count - 1)
  }

  private func home(_ handle: UInt32) -> Int {
    Int(truncatingIfNeeded: hash(words[Int(handle)])) & (places.count - 1)
  }

  private mutating func insert(_ handle: UInt32) {
    let hash = hash(words[Int(handle)])
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = (hash & 0xffff_ffff_0000_0000) | UInt64(handle + 1)
  }

  private func handle(at place: Int) -> UInt32 { UInt32(truncatingIfNeeded: places[place]) - 1 }

  private func place(of handle: UInt32) -> Int {
    var place = home(handle)
    while self.handle(at: place) != handle {
      precondition(places[place] != 0, "a handle without an identifier")
      place = (place + 1) & (places.count - 1)
    }
    return place
  }
}

extension IdentifierTable: LinearProbing {
  var placeCount: Int { places.count }

  func home(ofPlace place: Int) -> Int? { places[place] == 0 ? nil : home(handle(at: place)) }

  mutating func move(from place: Int, to other: Int) { places[other] = places[place] }

  mutating func clear(_ place: Int) { places[place] = 0 }
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
