internal import RPCKit
internal import TextEncodings

/// The fields of the last request of a connection, in their order: most clients send the same ones with each
/// request, and of one that is the same no new text is made.
///
/// Bounded, as it stays while the connection is at rest. The compression of HTTP/2 keeps as much of each client. Not
/// copyable, so that no look at a field retains the lists.
struct RecentFields: ~Copyable {
  private(set) var fields: [HTTPFields.Field] = []
  /// The fields as they came, one behind the other: lines of HTTP/1.1, or names and values of HTTP/2.
  ///
  /// Comparing the texts of `fields` would retain each.
  private var bytes: [UInt8] = []
  private var places: [Place] = []
  /// How many fields the last request had, as long as each of them is here; nil once one has changed.
  private(set) var wholeCount: Int?

  /// Where a field is in `bytes`.
  private struct Place {
    var end: Int
    let nameByteCount: Int
    let valueByteCount: Int

    init(end: Int, _ field: HTTPFields.Field) {
      self.end = end
      nameByteCount = field.name.utf8.count
      valueByteCount = field.value.utf8.count
    }
  }

  /// Bytes that are kept of all fields.
  static let byteCountMax = 1024
  private static let countMax = 32

  /// Whether the field at a place has exactly these bytes.
  func has(at place: Int, _ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
    guard place < places.count else { return false }
    let (start, end) = (start(of: place), places[place].end)
    guard places[place].nameByteCount == name.count, end - start == name.count + value.count else {
      return false
    }
    let (bytes, middle) = (bytes.span, start + name.count)
    return value.isEqual(to: bytes.extracting(middle..<end))
      && name.isEqual(to: bytes.extracting(start..<middle))
  }

  /// Whether the field at a place came as exactly this line of HTTP/1.1.
  func has(at place: Int, line: Span<UInt8>) -> Bool {
    guard place < places.count else { return false }
    return line.isEqual(to: bytes.span.extracting(start(of: place)..<places[place].end))
  }

  /// The name of the field at a place, if it came as these bytes: most requests have the same names.
  func name(at place: Int, _ name: Span<UInt8>) -> String? {
    guard place < places.count, places[place].nameByteCount == name.count else { return nil }
    let start = start(of: place)
    guard name.isEqual(to: bytes.span.extracting(start..<start + name.count)) else { return nil }
    return fields[place].name
  }

  /// Bytes of the name and the value of a field that is here.
  func byteCount(at place: Int) -> Int {
    places[place].nameByteCount + places[place].valueByteCount
  }

  /// Notes that a request of so many fields was read.
  mutating func finish(_ count: Int) {
    truncate(to: count)
    wholeCount = fields.count == count ? count : nil
  }

  private mutating func truncate(to count: Int) {
    guard count < fields.count else { return }
    bytes.removeLast(bytes.count - start(of: count))
    fields.removeLast(fields.count - count)
    places.removeLast(places.count - count)
  }

  /// Where a field begins in `bytes`.
  private func start(of place: Int) -> Int { place == 0 ? 0 : places[place - 1].end }

  /// Keeps a field that came as a name and a value, if there is room.
  mutating func note(_ field: HTTPFields.Field, at place: Int) {
    let (name, value) = (field.name.utf8Span.span, field.value.utf8Span.span)
    guard let start = makeRoom(for: field, at: place, byteCount: name.count + value.count) else {
      return
    }
    bytes.overwrite(from: start, with: name)
    bytes.overwrite(from: start + name.count, with: value)
  }

  /// Keeps a field that came as a line, if there is room.
  mutating func note(_ field: HTTPFields.Field, at place: Int, line: Span<UInt8>) {
    guard let start = makeRoom(for: field, at: place, byteCount: line.count) else { return }
    bytes.overwrite(from: start, with: line)
  }

  /// Puts a field in its place, and says where its bytes go, of which there are `count`; nil without room.
  ///
  /// Without room nothing stays from there on, so that no field of an older request is taken for one of the last.
  private mutating func makeRoom(
    for field: HTTPFields.Field,
    at place: Int,
    byteCount count: Int
  ) -> Int? {
    wholeCount = nil
    guard place <= fields.count, place < Self.countMax else { return nil }
    let start = start(of: place)
    let old = place < fields.count ? places[place].end - start : 0
    if bytes.count - old + count > Self.byteCountMax { truncate(to: place) }
    guard place < fields.count else {
      guard start + count <= Self.byteCountMax else { return nil }
      bytes.append(contentsOf: repeatElement(0, count: count))
      fields.append(field)
      places.append(Place(end: start + count, field))
      return start
    }
    fields[place] = field
    places[place] = Place(end: start + count, field)
    // Most values that change are as long as those before.
    guard count != old else { return start }
    bytes.replaceSubrange(start..<(start + old), with: repeatElement(0, count: count))
    for index in (place + 1)..<places.count { places[index].end += count - old }
    return start
  }
}
