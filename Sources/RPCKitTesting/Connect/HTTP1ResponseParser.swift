internal import RPCKit

/// The head of an answer.
struct HTTP1Response {
  let status: Int
  /// Names are in lower case.
  let fields: [TranslatedRequest.Field]

  /// The one value of a field; nil without it, or with several.
  subscript(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }
    return values.count == 1 ? values[0].value : nil
  }

  /// Whether the connection ends behind the answer.
  var isLast: Bool { self["connection"] == "close" }
}

/// Reads the answers of a server, as strictly as RFC 9112 is written: no line ends but CR LF, nothing that could be
/// understood in two ways, and a length of some sort for all content.
struct HTTP1ResponseParser {
  enum Event {
    /// An interim answer (RFC 9110 section 15.2).
    case interim(Int)
    case head(HTTP1Response)
    case content([UInt8])
    /// The answer is complete.
    case end
  }

  struct Malformed: Error {
    let problem: String
  }

  private enum State {
    /// Next: `length`, `chunkHeader`, `head`.
    case head
    /// So many bytes of content are missing. Next: `head`.
    case length(Int)
    /// Next: `chunk`, `trailers`.
    case chunkHeader
    /// So many bytes of a chunk and its line end are missing. Next: `chunkHeader`.
    case chunk(Int)
    /// Next: `head`.
    case trailers
  }

  private var state = State.head
  private var bytes: [UInt8] = []
  private var position = 0

  private static let headByteCountMax = 64 << 10

  /// Whether an answer has begun and is not complete.
  var isInsideAnswer: Bool {
    if case .head = state { return position < bytes.count }
    return true
  }

  /// Takes bytes, and says what they are.
  mutating func read(_ new: [UInt8]) throws(Malformed) -> [Event] {
    bytes += new
    var events: [Event] = []
    while try step(&events) {}
    bytes.removeFirst(position)
    position = 0
    return events
  }

  /// Takes one thing; false when its bytes have not come.
  private mutating func step(_ events: inout [Event]) throws(Malformed) -> Bool {
    switch state {
    case .head: return try readHead(&events)
    case .length(let missing):
      let content = take(missing)
      if !content.isEmpty { events.append(.content(content)) }
      guard content.count == missing else {
        state = .length(missing - content.count)
        return false
      }
      state = .head
      events.append(.end)
      return true
    case .chunkHeader:
      guard let line = try takeLine() else { return false }
      let digits = String(decoding: line, as: UTF8.self)
      guard (1...8).contains(line.count), digits.allSatisfy(\.isHexDigit),
        let count = Int(digits, radix: 16)
      else { throw Malformed(problem: "the size of a chunk is \"\(digits.prefix(32))\"") }
      state = count == 0 ? .trailers : .chunk(count)
      return true
    case .chunk(let missing):
      let content = take(missing)
      if !content.isEmpty { events.append(.content(content)) }
      guard content.count == missing else {
        state = .chunk(missing - content.count)
        return false
      }
      guard bytes.count - position >= 2 else {
        state = .chunk(0)
        return false
      }
      guard take(2) == [0x0D, 0x0A] else {
        throw Malformed(problem: "a chunk is longer than its size says")
      }
      state = .chunkHeader
      return true
    case .trailers:
      guard let line = try takeLine() else { return false }
      guard line.isEmpty else {
        _ = try Self.field(line)
        return true
      }
      state = .head
      events.append(.end)
      return true
    }
  }

  // MARK: - Heads

  private mutating func readHead(_ events: inout [Event]) throws(Malformed) -> Bool {
    let start = position
    var lines: [[UInt8]] = []
    while let line = try takeLine() {
      guard line.isEmpty else {
        lines.append(line)
        continue
      }
      try finishHead(lines, &events)
      return true
    }
    position = start
    guard bytes.count - position <= Self.headByteCountMax else {
      throw Malformed(problem: "the head of an answer has no end")
    }
    return false
  }

  private mutating func finishHead(
    _ lines: [[UInt8]],
    _ events: inout [Event]
  ) throws(Malformed) {
    let statusLine = String(decoding: lines.first ?? [], as: UTF8.self)
    let parts = statusLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3,
      let status = Int(parts[1]), (100...599).contains(status)
    else { throw Malformed(problem: "a status line is \"\(statusLine.prefix(64))\"") }
    var fields: [TranslatedRequest.Field] = []
    for line in lines.dropFirst() { fields.append(try Self.field(line)) }
    let response = HTTP1Response(status: status, fields: fields)
    guard status >= 200 else { return events.append(.interim(status)) }
    events.append(.head(response))
    try beginContent(response, &events)
  }

  private mutating func beginContent(
    _ response: HTTP1Response,
    _ events: inout [Event]
  ) throws(Malformed) {
    let lengths = response.fields.filter { $0.name == "content-length" }
    let codings = response.fields.filter { $0.name == "transfer-encoding" }
    let isEmpty = response.status == 204 || response.status == 304
    switch (lengths.count, codings.count) {
    case (0, 0) where isEmpty: events.append(.end)
    case (1, 0) where !isEmpty:
      guard let length = Int(lengths[0].value), length >= 0, "\(length)" == lengths[0].value else {
        throw Malformed(problem: "a content-length is \"\(lengths[0].value)\"")
      }
      state = .length(length)
    case (0, 1) where codings[0].value == "chunked" && !isEmpty: state = .chunkHeader
    default: throw Malformed(problem: "nobody can tell how long an answer is")
    }
  }

  private static func field(_ line: [UInt8]) throws(Malformed) -> TranslatedRequest.Field {
    let text = String(decoding: line, as: UTF8.self)
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex,
      text[..<colon].utf8.allSatisfy(isNameByte), line.allSatisfy(isValueByte)
    else { throw Malformed(problem: "a field is \"\(text.prefix(64))\"") }
    let value = text[text.index(after: colon)...].drop { $0 == " " }
    return (String(text[..<colon]), String(value))
  }

  /// Ours are in lower case, though they need not be.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }

  // MARK: - Bytes

  private mutating func take(_ count: Int) -> [UInt8] {
    let taken = Array(bytes[position..<min(bytes.count, position + count)])
    position += taken.count
    return taken
  }

  /// A line without its end; nil when that has not come.
  private mutating func takeLine() throws(Malformed) -> [UInt8]? {
    guard let end = bytes[position...].firstIndex(of: 0x0A) else { return nil }
    let line = bytes[position..<end]
    guard line.last == 0x0D, !line.dropLast().contains(0x0D) else {
      throw Malformed(problem: "a line does not end with CR LF")
    }
    position = end + 1
    return Array(line.dropLast())
  }
}
