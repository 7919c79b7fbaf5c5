/// Reads the subset of CBOR that authenticators write: the canonical form of CTAP2 (section 8,
/// "Message Encoding").
///
/// Numbers and lengths are as short as they can be, lengths are definite, maps are sorted and have
/// no key twice, texts are UTF-8, and there are neither tags nor fractions. Whatever could be
/// written in two ways is refused, because two readers that choose differently are how a key means
/// one thing to its checker and another to somebody else. Counts are compared with the bytes that
/// are left before anything is reserved for them.
struct CBORReader {
  /// Bytes of an item, at most.
  ///
  /// The largest attestation that is known of has half as many.
  static let byteCountMax = 16 * 1024
  /// Arrays and maps in one another, at most.
  static let depthMax = 4

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var depth = 0

  /// Reads bytes that are one item and nothing else.
  ///
  /// `isOuterOrderFree` takes the members of the outermost map in any order: real authenticators write
  /// attestation objects so.
  static func read(
    _ bytes: [UInt8],
    isOuterOrderFree: Bool = false
  ) throws(PasskeyFault) -> CBORValue {
    var reader = try CBORReader(bytes[...])
    let value = try reader.readItem(isOrderFree: isOuterOrderFree)
    guard reader.position == bytes.endIndex else { throw .cbor }
    return value
  }

  /// Reads the item that bytes begin with; gives those behind it.
  static func readFirst(
    _ bytes: ArraySlice<UInt8>
  ) throws(PasskeyFault) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
    var reader = try CBORReader(bytes)
    let value = try reader.readItem()
    return (value, bytes[reader.position...])
  }

  private init(_ bytes: ArraySlice<UInt8>) throws(PasskeyFault) {
    guard bytes.count <= Self.byteCountMax else { throw .cbor }
    self.bytes = bytes
    position = bytes.startIndex
  }

  private var left: Int { bytes.endIndex - position }

  private mutating func readItem(isOrderFree: Bool = false) throws(PasskeyFault) -> CBORValue {
    let first = try take(1)
    guard let initial = first.first else { throw .cbor }
    // The upper three bits are the major type, the others a number or how long it is.
    if initial >> 5 == 7 { return try Self.simple(initial) }
    let argument = try readArgument(initial & 31)
    switch initial >> 5 {
    case 0:
      guard let value = Int64(exactly: argument) else { throw .cbor }
      return .integer(value)
    case 1:
      guard let value = Int64(exactly: argument) else { throw .cbor }
      return .integer(-1 - value)
    case 2: return .bytes(Array(try take(try count(argument))))
    case 3:
      guard let text = String(validating: try take(try count(argument)), as: UTF8.self) else {
        throw .cbor
      }
      return .text(text)
    case 4: return .array(try readArray(try count(argument)))
    case 5: return .map(try readMap(argument, isOrderFree: isOrderFree))
    default: throw .cbor  // A tag.
    }
  }

  private static func simple(_ initial: UInt8) throws(PasskeyFault) -> CBORValue {
    switch initial {
    case 0xF4: return .boolean(false)
    case 0xF5: return .boolean(true)
    case 0xF6: return .null
    default: throw .cbor
    }
  }

  /// The number that the lower five bits are, or that comes behind them in 1, 2, 4 or 8 bytes.
  private mutating func readArgument(_ low: UInt8) throws(PasskeyFault) -> UInt64 {
    guard low >= 24 else { return UInt64(low) }
    // 28 to 30 mean nothing, 31 an indefinite length.
    guard low <= 27 else { throw .cbor }
    let byteCount = 1 << Int(low - 24)
    let value = try take(byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // As short as it can be: more than fits in half as many bytes.
    let shortest: UInt64 = byteCount == 1 ? 24 : 1 << UInt64(byteCount * 4)
    guard value >= shortest else { throw .cbor }
    return value
  }

  /// A number of bytes or elements, of which each takes at least one byte.
  private func count(_ argument: UInt64) throws(PasskeyFault) -> Int {
    guard let count = Int(exactly: argument), count <= left else { throw .cbor }
    return count
  }

  private mutating func take(_ count: Int) throws(PasskeyFault) -> ArraySlice<UInt8> {
    guard count <= left else { throw .cbor }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  private mutating func enter() throws(PasskeyFault) {
    depth += 1
    guard depth <= Self.depthMax else { throw .cbor }
  }

  private mutating func readArray(_ count: Int) throws(PasskeyFault) -> [CBORValue] {
    try enter()
    defer { depth -= 1 }
    var elements: [CBORValue] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try readItem()) }
    return elements
  }

  private mutating func readMap(
    _ argument: UInt64,
    isOrderFree: Bool
  ) throws(PasskeyFault) -> CBORMap {
    try enter()
    defer { depth -= 1 }
    // Two bytes a member, at least.
    guard let count = Int(exactly: argument), count <= left / 2 else { throw .cbor }
    var map = CBORMap()
    map.members.reserveCapacity(count)
    var previous: ArraySlice<UInt8>?
    for _ in 0..<count {
      let start = position
      let key = try readItem()
      guard key.integer != nil || key.text != nil else { throw .cbor }
      let encoded = bytes[start..<position]
      if isOrderFree {
        guard map[key] == nil else { throw .cbor }
      } else if let previous {
        guard Self.isSorted(previous, before: encoded) else { throw .cbor }
      }
      previous = encoded
      map.members.append(CBORMap.Member(key: key, value: try readItem()))
    }
    return map
  }

  /// Whether a key comes before another one: by major type, then length, then bytes.
  ///
  /// Of two equal ones neither does.
  private static func isSorted(
    _ left: ArraySlice<UInt8>,
    before right: ArraySlice<UInt8>
  ) -> Bool {
    let types = (left.first.map { $0 >> 5 } ?? 0, right.first.map { $0 >> 5 } ?? 0)
    guard types.0 == types.1 else { return types.0 < types.1 }
    guard left.count == right.count else { return left.count < right.count }
    return left.lexicographicallyPrecedes(right)
  }
}
