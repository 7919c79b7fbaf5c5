/// The fields of a request, encoded once for all requests of a connection (RFC 7541).
///
/// The first block puts the fields into the server's table, and those after it name their places there: what
/// the encoders of clients come to when requests repeat, without running one. A path that differs from call to
/// call is written out each time.
struct FieldBlocks {
  /// The table that both sides begin with.
  static let tableByteCount = 4096
  private static let entryOverhead = 32
  /// Where the entries of the table begin, the newest first.
  private static let firstPlace = 62

  /// Begins the block of the first request, up to its path.
  private(set) var first: [UInt8] = []
  /// Begins those of all others.
  private(set) var others: [UInt8] = []
  /// The parts behind the path, likewise.
  private(set) var firstRest: [UInt8] = []
  private(set) var otherRest: [UInt8] = []

  /// `tableByteCount` is what the server says that its table may have; nil when it said nothing.
  init(_ call: HTTPCall, tableByteCount: Int?) {
    var fields = [
      HTTPCall.Field(name: ":method", value: call.method),
      HTTPCall.Field(name: ":scheme", value: call.isSecure ? "https" : "http"),
      HTTPCall.Field(name: ":authority", value: call.authority),
    ]
    if let path = call.path { fields.append(HTTPCall.Field(name: ":path", value: path)) }
    let headCount = fields.count
    fields += call.fields
    let byteCountMax = min(tableByteCount ?? Self.tableByteCount, Self.tableByteCount)
    let byteCount = fields.reduce(0) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + Self.entryOverhead
    }
    let isIndexed = byteCount <= byteCountMax
    if tableByteCount != nil {
      // Whatever was in the table is gone, and it has its new size.
      Self.append(0, prefix: 5, flags: 0x20, to: &first)
      Self.append(byteCountMax, prefix: 5, flags: 0x20, to: &first)
    }
    for (index, field) in fields.enumerated() {
      var literal: [UInt8] = [isIndexed ? 0x40 : 0]
      Self.append(field.name, to: &literal)
      Self.append(field.value, to: &literal)
      var place: [UInt8] = []
      if isIndexed {
        let number = Self.firstPlace + fields.count - 1 - index
        Self.append(number, prefix: 7, flags: 0x80, to: &place)
      } else {
        place = literal
      }
      if index < headCount {
        first += literal
        others += place
      } else {
        firstRest += literal
        otherRest += place
      }
    }
  }

  /// `:path` as a literal that enters no table: the name is entry 4 of the fixed one.
  static func path(_ path: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = [4]
    append(path.count, prefix: 7, flags: 0, to: &bytes)
    for index in path.indices { bytes.append(path[index]) }
    return bytes
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    append(text.utf8.count, prefix: 7, flags: 0, to: &bytes)
    bytes += Array(text.utf8)
  }

  /// A number with so many bits in its first byte (section 5.1).
  private static func append(
    _ number: Int,
    prefix: Int,
    flags: UInt8,
    to bytes: inout [UInt8]
  ) {
    let most = 1 << prefix - 1
    guard number >= most else {
      bytes.append(flags | UInt8(number))
      return
    }
    bytes.append(flags | UInt8(most))
    var rest = number - most
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
