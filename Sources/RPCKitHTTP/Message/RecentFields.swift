internal import RPCKit
internal import TextEncodings

/// The fields of the last request of a connection, in their order: most clients send the same ones with each
/// request, and of one that is the same no new text is made.
///
/// Bounded, as it stays while the connection is at rest. The compression of HTTP/2 keeps as much of each client.
struct RecentFields {
  private var fields: [HTTPFields.Field] = []
  private var byteCount = 0

  /// Bytes of all names and values that are kept.
  static let byteCountMax = 1024
  private static let countMax = 32

  /// The field at a place, if it has exactly these bytes.
  func field(
    at place: Int,
    _ name: Span<UInt8>,
    _ value: Span<UInt8>
  ) -> HTTPFields.Field? {
    guard place < fields.count else { return nil }
    let field = fields[place]
    guard value.isEqual(to: field.value.utf8.span), name.isEqual(to: field.name.utf8.span)
    else { return nil }
    return field
  }

  /// The field at a place, if a line of HTTP/1.1 is its name in either case, a colon, a space and its value.
  func field(at place: Int, line: Span<UInt8>) -> HTTPFields.Field? {
    guard place < fields.count else { return nil }
    let field = fields[place]
    let name = field.name.utf8.span
    let value = field.value.utf8.span
    guard line.count == name.count + value.count + 2, line[name.count] == UInt8(ascii: ":"),
      line[name.count + 1] == UInt8(ascii: " "),
      line.extracting((name.count + 2)..<line.count).isEqual(to: value)
    else { return nil }
    for index in name.indices where line[index].lowercasedASCII != name[index] { return nil }
    return field
  }

  /// Keeps a field that was read at a place, if there is room.
  mutating func note(_ field: HTTPFields.Field, at place: Int) {
    guard place <= fields.count, place < Self.countMax else { return }
    let old = place < fields.count ? Self.byteCount(fields[place]) : 0
    let new = byteCount - old + Self.byteCount(field)
    guard new <= Self.byteCountMax else { return }
    byteCount = new
    if place < fields.count { fields[place] = field } else { fields.append(field) }
  }

  private static func byteCount(_ field: HTTPFields.Field) -> Int {
    field.name.utf8.count + field.value.utf8.count
  }
}
