/// Writing and reading the small frames of our extensions (`proto/rpc/v1/settings.proto`).
enum ControlFrame {
  /// Appends a frame on the connection's own stream.
  static func append(
    _ type: FrameType,
    to buffer: inout ByteBuffer,
    flags: FrameFlags = [],
    streamID: StreamID = .connection,
    body: borrowing ByteBuffer
  ) {
    FrameHeader(payloadByteCount: body.byteCount, streamID: streamID, type: type, flags: flags)
      .append(to: &buffer)
    body.withBytes { buffer.append($0) }
  }

  /// `Credit { uint32 bytes=1; }` on the stream that gets it.
  static func appendCredit(to buffer: inout ByteBuffer, streamID: StreamID, byteCount: Int) {
    var body = ByteBuffer()
    body.append(field: 1, varint: UInt64(byteCount))
    append(.credit, to: &buffer, streamID: streamID, body: body)
  }

  /// The number of bytes that a CREDIT frame grants; at most 2³¹.
  static func credit(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) -> Int {
    Int(min(try firstVarint(bytes, in: range), 1 << 31))
  }

  /// `GoAway { uint32 last_stream_id=1; uint32 code=2; string message=3; }`.
  static func appendGoAway(to buffer: inout ByteBuffer, lastAccepted: UInt32) {
    var body = ByteBuffer()
    body.append(field: 1, varint: UInt64(lastAccepted))
    append(.goAway, to: &buffer, body: body)
  }

  /// The last call that the server serves.
  static func lastAccepted(
    _ bytes: Span<UInt8>,
    in range: Range<Int>
  ) throws(WireFormatError) -> StreamID {
    StreamID(rawValue: UInt32(truncatingIfNeeded: try firstVarint(bytes, in: range)))
  }

  /// An empty CANCEL on the call's own stream.
  static func appendCancel(to buffer: inout ByteBuffer, streamID: StreamID) {
    FrameHeader(payloadByteCount: 0, streamID: streamID, type: .cancel).append(to: &buffer)
  }

  /// `Ping { fixed64 opaque=1; }`; the answer repeats the bytes and sets the flag.
  static func appendPing(to buffer: inout ByteBuffer, opaque: UInt64) {
    var body = ByteBuffer()
    body.append(1 << 3 | 1)
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      body.append(UInt8(truncatingIfNeeded: opaque >> shift))
    }
    append(.ping, to: &buffer, body: body)
  }

  private static func firstVarint(
    _ bytes: Span<UInt8>,
    in range: Range<Int>
  ) throws(WireFormatError) -> UInt64 {
    var value: UInt64 = 0
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .varint): value = try cursor.varint(bytes)
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
    return value
  }
}

extension ByteBuffer {
  /// Adds a number field; zero is the default and left out (proto3).
  package mutating func append(field number: Int, varint value: UInt64) {
    guard value != 0 else { return }
    append(varint: UInt64(number << 3))
    append(varint: value)
  }
}
