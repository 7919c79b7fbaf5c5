/// A frame as it is on the wire (RFC 9113 section 4.1), right or wrong.
struct HTTP2Frame: Equatable {
  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let push: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  static let endStream: UInt8 = 1
  static let acknowledgement: UInt8 = 1
  static let endHeaders: UInt8 = 4

  var kind: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind, flags]
      + Self.bytes(stream) + payload
  }

  /// Big-endian.
  static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The number that a payload begins with at `offset`.
  func number(at offset: Int = 0) -> UInt32 {
    payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes the first frame off what was received; nil while it is not complete.
  init?(takingFrom bytes: inout ArraySlice<UInt8>) {
    guard bytes.count >= 9 else { return nil }
    let head = Array(bytes.prefix(9))
    let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    guard bytes.count >= 9 + count else { return nil }
    kind = head[3]
    flags = head[4]
    stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    payload = Array(bytes.dropFirst(9).prefix(count))
    bytes = bytes.dropFirst(9 + count)
  }

  init(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
    self.kind = kind
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  /// Fields as literals that no table keeps (RFC 7541 section 6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { [0] + text($0.0) + text($0.1) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    var length: [UInt8] = []
    if count < 127 {
      length = [UInt8(count)]
    } else {
      length = [127]
      var rest = count - 127
      while rest >= 128 {
        length.append(UInt8(rest % 128 + 128))
        rest /= 128
      }
      length.append(UInt8(rest))
    }
    return length + Array(text.utf8)
  }

  static func headers(
    _ stream: UInt32,
    _ fields: [(String, String)],
    isEnd: Bool = true
  ) -> HTTP2Frame {
    HTTP2Frame(
      Kind.headers,
      flags: endHeaders | (isEnd ? endStream : 0),
      stream: stream,
      block(fields)
    )
  }

  /// A request without content, or the head of one.
  static func request(
    _ stream: UInt32,
    _ path: String,
    method: String = "POST",
    _ fields: [(String, String)] = [],
    isEnd: Bool = true
  ) -> HTTP2Frame {
    headers(
      stream,
      [(":method", method), (":scheme", "http"), (":path", path), (":authority", "host")] + fields,
      isEnd: isEnd
    )
  }

  static func data(_ stream: UInt32, _ bytes: [UInt8], isEnd: Bool = false) -> HTTP2Frame {
    HTTP2Frame(Kind.data, flags: isEnd ? endStream : 0, stream: stream, bytes)
  }

  static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> HTTP2Frame {
    HTTP2Frame(Kind.reset, stream: stream, bytes(code))
  }

  static func windowUpdate(_ stream: UInt32, _ count: UInt32) -> HTTP2Frame {
    HTTP2Frame(Kind.windowUpdate, stream: stream, bytes(count))
  }

  static func ping(flags: UInt8 = 0) -> HTTP2Frame {
    HTTP2Frame(Kind.ping, flags: flags, Array(repeating: 7, count: 8))
  }

  static func settings(_ settings: [(UInt16, UInt32)] = []) -> HTTP2Frame {
    HTTP2Frame(
      Kind.settings,
      settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + bytes($0.1) }
    )
  }

  /// A HEADERS frame in frames that are no longer than a peer must read, the others CONTINUATION.
  var inPieces: [HTTP2Frame] {
    let byteCountMax = 16_384
    guard payload.count > byteCountMax else { return [self] }
    var frames: [HTTP2Frame] = []
    var rest = payload[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(byteCountMax))
      rest = rest.dropFirst(byteCountMax)
      let ends = rest.isEmpty ? Self.endHeaders : 0
      frames.append(
        frames.isEmpty
          ? HTTP2Frame(kind, flags: flags & ~Self.endHeaders | ends, stream: stream, piece)
          : HTTP2Frame(Kind.continuation, flags: ends, stream: stream, piece)
      )
    }
    return frames
  }
}
