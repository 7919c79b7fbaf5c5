/// The answer to a call that is refused for load, encoded once.
///
/// Under overload most answers are this one, so it costs a copy and a number.
package struct RefusalFrame: Sendable {
  /// The error, for wires without frames.
  package let error: RPCError
  private let bytes: [UInt8]

  /// The code of what it says.
  package var code: StatusCode { error.code }

  /// Encodes an error as it is answered to every call.
  init(_ error: RPCError, limits: Limits) {
    self.error = error
    var frame = ByteBuffer()
    ResponseEnvelope.appendError(to: &frame, streamID: .first, error: error.bounded(limits))
    bytes = frame.withBytes { [UInt8]($0) }
  }

  /// Appends the Response frame of one call.
  func append(to buffer: inout ByteBuffer, streamID: StreamID) {
    let start = buffer.byteCount
    buffer.append(bytes.span)
    buffer.replace(at: start + FrameHeader.streamIDOffset, bigEndian: streamID.rawValue)
  }
}

/// The refusals that a server makes before it begins a call, and whose text is always the same.
package struct RefusalFrames: Sendable {
  /// The server is shutting down.
  package let draining: RefusalFrame
  /// The connection has too many calls open.
  package let tooManyStreams: RefusalFrame
  /// The deadline passed on the way.
  package let expired: RefusalFrame
  /// More metadata than the server takes.
  package let tooMuchMetadata: RefusalFrame
  /// The connection has too many streaming calls open.
  let tooManyStreamingCallsOnConnection: RefusalFrame
  /// The server has too many streaming calls open.
  let tooManyStreamingCalls: RefusalFrame
  /// Too many calls run, or they come too fast.
  package let overloaded: RefusalFrame

  /// Too many answers wait for this client to read them.
  package let answersUnread: RefusalFrame

  /// Encodes all of them.
  init(limits: Limits) {
    draining = RefusalFrame(
      RPCError(
        .unavailable,
        .serverDraining,
        "the server is shutting down",
        // Elsewhere, and at once: the client's own back-off is enough.
        retryAfter: .zero,
        isNotProcessed: true
      ),
      limits: limits
    )
    tooManyStreams = RefusalFrame(
      RPCError(
        .resourceExhausted,
        .tooManyCalls,
        "too many calls are open on this connection; wait for answers or use another one",
        retryAfter: .milliseconds(100),
        isNotProcessed: true
      ),
      limits: limits
    )
    expired = RefusalFrame(
      RPCError(
        .deadlineExceeded,
        .deadlinePassed,
        "the deadline passed before the call was received"
      ),
      limits: limits
    )
    tooMuchMetadata = RefusalFrame(
      RPCError(
        .resourceExhausted,
        .metadataTooLarge,
        "metadata is larger than the server takes; send fewer or shorter entries"
      ),
      limits: limits
    )
    tooManyStreamingCallsOnConnection = RefusalFrame(
      .tooManyStreamingCalls(
        "too many streaming calls are open on this connection; end some first"
      ),
      limits: limits
    )
    tooManyStreamingCalls = RefusalFrame(
      .tooManyStreamingCalls(
        "the server has too many streaming calls open; retry after the given delay"
      ),
      limits: limits
    )
    overloaded = RefusalFrame(.overloaded, limits: limits)
    answersUnread = RefusalFrame(
      RPCError(
        .resourceExhausted,
        .answersUnread,
        "too many answers wait on this connection; read them first",
        retryAfter: .milliseconds(100),
        isNotProcessed: true
      ),
      limits: limits
    )
  }
}

extension RPCError {
  /// The error for a call that is refused for load: try again, elsewhere or later.
  static let overloaded = RPCError(
    .resourceExhausted,
    .overloaded,
    "the server is overloaded; retry after the given delay",
    retryAfter: .milliseconds(100),
    isNotProcessed: true
  )

  /// The error for a streaming call when there are too many.
  ///
  /// Places become free when streams end, which takes longer than a turn under load.
  static func tooManyStreamingCalls(_ message: String) -> RPCError {
    RPCError(
      .resourceExhausted,
      .tooManyStreams,
      message,
      retryAfter: .seconds(5),
      isNotProcessed: true
    )
  }
}
