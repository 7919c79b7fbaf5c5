/// Writes messages as frames and reads deflated payloads: what each event loop needs one of.
///
/// Confined to its loop.
final class FrameCodec {
  /// Deflates and inflates; for wires beside the frames as well.
  let compression = MessageCompression()

  /// Shows a payload as it was before it was deflated, if it was.
  ///
  /// Returns an error of the payload, or what `body` returns.
  func withInflated(
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>,
    _ header: FrameHeader,
    limit: Int,
    _ body: (Span<UInt8>) -> RPCError?
  ) -> RPCError? {
    guard header.flags.contains(.deflated), !payload.isEmpty else {
      return body(bytes.extracting(payload))
    }
    var inflated = ByteBuffer()
    do throws(InflateError) {
      try compression.inflate(
        bytes.extracting(payload),
        .zlib,
        into: &inflated,
        byteCountMax: limit
      )
    } catch {
      return Self.refusal(error, limit: limit)
    }
    return inflated.withBytes(body)
  }

  /// As `withInflated`, except that a payload whose inflating takes long is shown as it came, beside what inflates
  /// it elsewhere.
  func withReadable(
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>,
    _ header: FrameHeader,
    limit: Int,
    _ body: (Span<UInt8>, Inflation?) -> RPCError?
  ) -> RPCError? {
    let received = bytes.extracting(payload)
    guard header.flags.contains(.deflated), !payload.isEmpty else { return body(received, nil) }
    var inflated = ByteBuffer()
    do throws(InflateError) {
      let isInflated = try compression.inflateIfShort(
        received,
        .zlib,
        into: &inflated,
        byteCountMax: limit
      )
      guard isInflated else {
        let inflation = Inflation(.zlib, byteCountMax: limit) { error in
          Self.refusal(error, limit: limit)
        }
        return body(received, inflation)
      }
    } catch {
      return Self.refusal(error, limit: limit)
    }
    return inflated.withBytes { body($0, nil) }
  }

  private static func refusal(_ error: InflateError, limit: Int) -> RPCError {
    guard error != .tooLarge else {
      return RPCError(
        .resourceExhausted,
        .requestTooLarge,
        "the inflated message is larger than \(limit) bytes"
      )
    }
    return RPCError(
      .internal,
      .malformedRequest,
      "payload is not a valid zlib stream",
      cause: error
    )
  }

  /// Appends a Response frame with a message.
  ///
  /// Returns the frame's payload size in bytes, for the caller to take the frame back when that is
  /// too large.
  func appendResponse(
    _ append: MessageAppending,
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    metadata: Metadata,
    deflates: Bool
  ) -> Int {
    let start = buffer.byteCount
    if deflates {
      var message = ByteBuffer()
      append(&message) { _, _ in }
      let deflated = compression.deflateIfWorthwhile(&message, .zlib)
      ResponseEnvelope.appendSuccessPrefix(
        to: &buffer,
        streamID: streamID,
        flags: deflated ? .deflated : [],
        metadata: metadata,
        payloadByteCount: message.byteCount
      )
      message.withBytes { buffer.append($0) }
    } else {
      append(&buffer) { buffer, byteCount in
        ResponseEnvelope.appendSuccessPrefix(
          to: &buffer,
          streamID: streamID,
          flags: [],
          metadata: metadata,
          payloadByteCount: byteCount
        )
      }
    }
    return buffer.byteCount - start - FrameHeader.byteCount
  }

  /// Appends a Response frame with a message that was encoded elsewhere; returns as the other `appendResponse`.
  func appendResponse(
    _ message: EncodedMessage,
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    metadata: Metadata
  ) -> Int {
    let start = buffer.byteCount
    ResponseEnvelope.appendSuccessPrefix(
      to: &buffer,
      streamID: streamID,
      flags: message.isCompressed ? .deflated : [],
      metadata: metadata,
      payloadByteCount: message.bytes.count
    )
    buffer.append(message.bytes.span)
    return buffer.byteCount - start - FrameHeader.byteCount
  }

  /// Appends a Data frame with a message that was encoded elsewhere; returns the frame's payload size in bytes.
  func appendData(
    _ message: EncodedMessage,
    to buffer: inout ByteBuffer,
    streamID: StreamID
  ) -> Int {
    FrameHeader(
      payloadByteCount: message.bytes.count,
      streamID: streamID,
      type: .data,
      flags: message.isCompressed ? .deflated : []
    ).append(to: &buffer)
    buffer.append(message.bytes.span)
    return message.bytes.count
  }

  /// Appends a Data frame with a message.
  ///
  /// Returns the frame's payload size in bytes, and that of the message before it was deflated.
  func appendData(
    _ append: MessageAppending,
    to buffer: inout ByteBuffer,
    streamID: StreamID,
    deflates: Bool
  ) -> (frame: Int, message: Int) {
    let start = buffer.byteCount
    var messageByteCount = 0
    if deflates {
      var message = ByteBuffer()
      append(&message) { _, _ in }
      messageByteCount = message.byteCount
      let deflated = compression.deflateIfWorthwhile(&message, .zlib)
      FrameHeader(
        payloadByteCount: message.byteCount,
        streamID: streamID,
        type: .data,
        flags: deflated ? .deflated : []
      ).append(to: &buffer)
      message.withBytes { buffer.append($0) }
    } else {
      append(&buffer) { buffer, byteCount in
        messageByteCount = byteCount
        FrameHeader(payloadByteCount: byteCount, streamID: streamID, type: .data)
          .append(to: &buffer)
      }
    }
    return (buffer.byteCount - start - FrameHeader.byteCount, messageByteCount)
  }
}
