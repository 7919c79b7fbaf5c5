/// The contents of a Request frame, as places in the frame: nothing is copied until it is wanted.
///
/// `Request { string service=1; string method=2; bytes payload=3; int64 timeout_nano=4;
/// repeated KeyValue metadata=5; }` (containerd/ttrpc request.proto).
struct RequestEnvelope: Equatable {
  /// Full name of the service.
  var service: Range<Int>
  /// Bare name of the method.
  var method: Range<Int>
  /// The encoded message; nil when the field is absent, which is not the same as empty.
  var payload: Range<Int>?
  /// Time left when the client sent it.
  ///
  /// 0 is "no deadline", below 0 "already passed".
  var timeoutNanoseconds: Int64 = 0
  /// How many metadata pairs there are.
  var metadataCount = 0
  /// Their bytes together.
  var metadataByteCount = 0
  /// From the first pair to the last, whatever else lies between them.
  var metadata: Range<Int>

  /// Reads the frame's fields.
  ///
  /// Of a field that comes twice the last one counts (proto3).
  init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) {
    service = range.lowerBound..<range.lowerBound
    method = service
    metadata = service
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      let start = cursor.offset
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited): service = try cursor.lengthDelimited(bytes)
      case (2, .lengthDelimited): method = try cursor.lengthDelimited(bytes)
      case (3, .lengthDelimited): payload = try cursor.lengthDelimited(bytes)
      case (4, .varint): timeoutNanoseconds = Int64(bitPattern: try cursor.varint(bytes))
      case (5, .lengthDelimited):
        metadataByteCount += try cursor.lengthDelimited(bytes).count
        metadata = (metadataCount == 0 ? start : metadata.lowerBound)..<cursor.offset
        metadataCount += 1
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  /// Reads the metadata that `init` only counted.
  func metadata(_ bytes: Span<UInt8>) throws(WireFormatError) -> Metadata {
    guard metadataCount > 0 else { return Metadata() }
    return try Metadata(bytes, in: metadata, field: 5)
  }

  /// Appends a whole Request frame.
  ///
  /// `appendPayload` must append exactly `payloadByteCount` bytes.
  static func appendFrame(
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    flags: FrameFlags,
    service: String,
    method: String,
    timeoutNanoseconds: Int64,
    metadata: Metadata,
    payloadByteCount: Int
  ) {
    // The negative number is ten bytes as a varint; the server reads it as "already passed".
    let timeout = UInt64(bitPattern: timeoutNanoseconds)
    let body =
      fieldByteCount(1, length: service.utf8.count)
      + fieldByteCount(2, length: method.utf8.count)
      + (timeout == 0 ? 0 : 1 + varintByteCount(timeout))
      + metadata.encodedByteCount(field: 5)
      + (payloadByteCount == 0 ? 0 : fieldByteCount(3, length: payloadByteCount))
    FrameHeader(payloadByteCount: body, streamID: streamID, type: .request, flags: flags)
      .append(to: &buffer)
    buffer.append(field: 1, utf8: service)
    buffer.append(field: 2, utf8: method)
    if timeout != 0 {
      buffer.append(4 << 3)
      buffer.append(varint: timeout)
    }
    metadata.append(to: &buffer, field: 5)
    if payloadByteCount > 0 {
      buffer.append(3 << 3 | 2)
      buffer.append(varint: UInt64(payloadByteCount))
    }
  }
}
