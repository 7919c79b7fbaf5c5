/// The settings that one side sends in HELLO.
///
/// `Settings { uint32 version=1; uint64 features=2; uint32 max_frame_bytes=3; uint32 max_streams=4;
/// uint32 initial_stream_window_bytes=5; }` in `proto/rpc/v1/settings.proto`. Zero or absent means
/// the default; unknown fields and feature bits are ignored.
struct ConnectionSettings: Hashable, Sendable {
  /// The optional parts of the protocol.
  struct Features: OptionSet, Hashable, Sendable {
    var rawValue: UInt64

    /// Payloads may be deflated (flag 0x10).
    static let deflate = Features(rawValue: 1)
  }

  static let currentVersion: UInt32 = 1

  var version = currentVersion
  var features: Features = []
  /// Largest frame payload this side takes.
  var frameByteCountMax = 4 << 20
  /// Calls this side serves at a time on the connection.
  var streamCountMax = 4096
  /// Bytes the peer may send on a stream before it needs credit.
  var streamWindowByteCount = 64 << 10

  init() {}

  /// Largest window that is believed: more would only remove the bound.
  private static let windowByteCountMax = 16 << 20

  init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) {
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .varint): version = UInt32(truncatingIfNeeded: try cursor.varint(bytes))
      case (2, .varint): features = Features(rawValue: try cursor.varint(bytes))
      case (3, .varint):
        frameByteCountMax = Self.number(try cursor.varint(bytes), 4 << 20, 64 << 20)
      case (4, .varint): streamCountMax = Self.number(try cursor.varint(bytes), 4096, 1 << 20)
      case (5, .varint):
        streamWindowByteCount = Self.number(
          try cursor.varint(bytes),
          64 << 10,
          Self.windowByteCountMax
        )
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  private static func number(_ value: UInt64, _ fallback: Int, _ most: Int) -> Int {
    value == 0 ? fallback : Int(min(value, UInt64(most)))
  }

  /// Appends a whole HELLO frame.
  func appendFrame(to buffer: inout ByteBuffer) {
    var body = ByteBuffer()
    body.append(field: 1, varint: UInt64(version))
    body.append(field: 2, varint: features.rawValue)
    body.append(field: 3, varint: UInt64(frameByteCountMax))
    body.append(field: 4, varint: UInt64(streamCountMax))
    body.append(field: 5, varint: UInt64(streamWindowByteCount))
    ControlFrame.append(.hello, to: &buffer, body: body)
  }
}
