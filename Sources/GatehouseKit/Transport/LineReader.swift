import Foundation

/// Cuts a stream of bytes into lines; a piece may end anywhere, also inside a character.
struct LineReader {
  private var rest = Data()
  private let byteCountMax: Int

  init(byteCountMax: Int = 1 << 20) {
    self.byteCountMax = byteCountMax
  }

  /// The lines that are whole now, without their ends.
  mutating func lines(after bytes: Data) throws -> [Data] {
    var lines: [Data] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      rest.append(bytes[start..<end])
      if rest.last == 0x0D { rest.removeLast() }
      lines.append(rest)
      rest = Data()
      start = bytes.index(after: end)
    }
    rest.append(bytes[start...])
    guard rest.count <= byteCountMax else { throw KitError(.server, reason: "LINE_TOO_LONG") }
    return lines
  }
}

/// An event of `text/event-stream`.
struct ServerEvent: Equatable {
  var type = ""
  var id = ""
  var data = Data()
}

/// Puts the lines of `text/event-stream` together to events.
struct EventReader {
  private var reader = LineReader()
  private var event = ServerEvent()

  mutating func events(after bytes: Data) throws -> [ServerEvent] {
    var events: [ServerEvent] = []
    for line in try reader.lines(after: bytes) {
      guard !line.isEmpty else {
        if !event.type.isEmpty || !event.data.isEmpty { events.append(event) }
        event = ServerEvent()
        continue
      }
      take(line)
    }
    return events
  }

  private mutating func take(_ line: Data) {
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    var value = colon < line.endIndex ? line[line.index(after: colon)...] : Data()
    if value.first == 0x20 { value = value.dropFirst() }
    switch String(bytes: line[..<colon], encoding: .utf8) {
    case "event": event.type = String(bytes: value, encoding: .utf8) ?? ""
    case "id": event.id = String(bytes: value, encoding: .utf8) ?? ""
    case "data":
      if !event.data.isEmpty { event.data.append(0x0A) }
      event.data.append(value)
    default: break
    }
  }
}
