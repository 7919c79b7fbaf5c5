/// The contents of a Response frame: `Response { google.rpc.Status status=1; bytes payload=2; }`, and two
/// fields of ours that stock clients skip: `repeated KeyValue metadata=100`,
/// `bool not_processed=101`.
struct ResponseEnvelope: Equatable {
  /// The call's outcome; absent means OK (stock Go leaves it out, stock Rust sends it).
  var code = StatusCode.ok
  /// The status message.
  var message: Range<Int>?
  /// The encoded message.
  var payload: Range<Int>?
  /// Where the status is, for its details.
  var status: Range<Int>?
  /// How many metadata pairs there are.
  var metadataCount = 0
  /// Whether the payload came compressed, which the frame's flags say.
  var isPayloadCompressed = false
  /// The server never started the call.
  var isNotProcessed = false

  /// Reads the frame's fields.
  init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) {
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited):
        let status = try cursor.lengthDelimited(bytes)
        self.status = status
        try readStatus(bytes, status)
      case (2, .lengthDelimited): payload = try cursor.lengthDelimited(bytes)
      case (Self.metadataField, .lengthDelimited):
        _ = try cursor.lengthDelimited(bytes)
        metadataCount += 1
      case (Self.notProcessedField, .varint): isNotProcessed = try cursor.varint(bytes) != 0
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  static let metadataField = 100
  static let notProcessedField = 101

  private mutating func readStatus(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .varint):
        code = StatusCode(rawValue: Int32(truncatingIfNeeded: try cursor.varint(bytes)))
      case (2, .lengthDelimited): message = try cursor.lengthDelimited(bytes)
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  /// The metadata pairs that `init` only counted.
  func metadata(
    _ bytes: Span<UInt8>,
    in range: Range<Int>
  ) throws(WireFormatError) -> Metadata {
    guard metadataCount > 0 else { return Metadata() }
    return try Metadata(bytes, in: range, field: Self.metadataField)
  }

  /// The status as an error, with details and metadata; nil when it is OK.
  func error(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) -> RPCError? {
    guard code != .ok else { return nil }
    var error = RPCError(
      code,
      try message.map { place throws(WireFormatError) in try String(bytes, place) } ?? "",
      details: try details(bytes),
      metadata: try metadata(bytes, in: range),
      isNotProcessed: isNotProcessed
    )
    error.isOutcomeOfCall = true
    return error
  }

  private func details(_ bytes: Span<UInt8>) throws(WireFormatError) -> [RPCError.Detail] {
    guard let status else { return [] }
    var details: [RPCError.Detail] = []
    var cursor = WireCursor(status)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (3, .lengthDelimited):
        details.append(try RPCError.Detail(bytes, in: try cursor.lengthDelimited(bytes)))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
    return details
  }
}

extension ResponseEnvelope {
  /// Appends what stands in front of the payload of a successful Response frame: the header, our
  /// metadata, and the payload's tag and length.
  ///
  /// The payload must follow at once.
  static func appendSuccessPrefix(
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    flags: FrameFlags,
    metadata: Metadata,
    payloadByteCount: Int
  ) {
    let body =
      metadata.encodedByteCount(field: metadataField)
      + (payloadByteCount == 0 ? 0 : fieldByteCount(2, length: payloadByteCount))
    FrameHeader(payloadByteCount: body, streamID: streamID, type: .response, flags: flags)
      .append(to: &buffer)
    metadata.append(to: &buffer, field: metadataField)
    if payloadByteCount > 0 {
      buffer.append(2 << 3 | 2)
      buffer.append(varint: UInt64(payloadByteCount))
    }
  }

  /// Appends a whole Response frame that carries an error.
  static func appendError(
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    error: RPCError
  ) {
    var status = ByteBuffer()
    // A code is an int32 and goes as a sign-extended varint.
    status.append(1 << 3)
    status.append(varint: UInt64(bitPattern: Int64(error.code.rawValue)))
    if !error.message.isEmpty { status.append(field: 2, utf8: error.message) }
    for detail in error.details { detail.append(to: &status, field: 3) }
    let body =
      fieldByteCount(1, length: status.byteCount)
      + error.metadata.encodedByteCount(field: metadataField)
      + (error.isNotProcessed ? 3 : 0)
    FrameHeader(payloadByteCount: body, streamID: streamID, type: .response).append(to: &buffer)
    buffer.append(1 << 3 | 2)
    buffer.append(varint: UInt64(status.byteCount))
    status.withBytes { buffer.append($0) }
    error.metadata.append(to: &buffer, field: metadataField)
    if error.isNotProcessed {
      buffer.append(varint: UInt64(notProcessedField << 3))
      buffer.append(1)
    }
  }
}

extension RPCError.Detail {
  /// Reads a `google.protobuf.Any`.
  fileprivate init(_ bytes: Span<UInt8>, in range: Range<Int>) throws(WireFormatError) {
    self.init(typeURL: "", value: [])
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited):
        typeURL = try String(bytes, try cursor.lengthDelimited(bytes))
      case (2, .lengthDelimited):
        value = Array(bytes.extracting(try cursor.lengthDelimited(bytes)))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  fileprivate func append(to buffer: inout ByteBuffer, field: Int) {
    let length =
      fieldByteCount(1, length: typeURL.utf8.count) + fieldByteCount(2, length: value.count)
    buffer.append(varint: UInt64(field << 3 | 2))
    buffer.append(varint: UInt64(length))
    buffer.append(field: 1, utf8: typeURL)
    buffer.append(field: 2, bytes: value)
  }
}

extension [UInt8] {
  /// Copies a span.
  init(_ bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}
