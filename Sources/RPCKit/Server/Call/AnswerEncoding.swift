/// The wire's form of a response before it is sent: converted, compressed.
///
/// Known on the loop, done anywhere.
package struct AnswerEncoding: Sendable {
  /// Turns protobuf into what the wire carries; nil where that is protobuf.
  package typealias Transcoding = @Sendable ([UInt8]) throws(RPCError) -> [UInt8]

  private let transcoding: Transcoding?
  private let format: CompressionFormat?

  /// Makes one; `format` is for what shrinks by it.
  package init(transcoding: Transcoding? = nil, format: CompressionFormat? = nil) {
    self.transcoding = transcoding
    self.format = format
  }

  /// Encodes a response.
  func encode(_ response: some Message) throws(RPCError) -> EncodedMessage {
    var buffer = ByteBuffer()
    response.append(to: &buffer) { _, _ in }
    if let transcoding {
      var protobuf: [UInt8] = []
      buffer.withBytes { protobuf.replaceAll(with: $0) }
      let transcoded = try transcoding(protobuf)
      buffer.release()
      buffer.append(transcoded.span)
    }
    let byteCount = buffer.byteCount
    let isCompressed =
      if let format { MessageCompression().deflateIfWorthwhile(&buffer, format) } else { false }
    var bytes: [UInt8] = []
    buffer.withBytes { bytes.replaceAll(with: $0) }
    return EncodedMessage(bytes: bytes, isCompressed: isCompressed, byteCount: byteCount)
  }
}

extension Message {
  /// Whether encoding it takes so long that no other connection of the loop should wait for it.
  ///
  /// Looks at no more of it than makes it long. Inlinable, so that it is asked where its type is known.
  @inlinable
  var isLong: Bool {
    var measure = MessageMeasure(max: CallContext.readOnLoopByteCountMax)
    self.measure(&measure)
    return measure.isExceeded
  }

  /// Encodes it away from the loop; leaves the caller's actor for the preferred executor.
  @concurrent
  fileprivate func encodedElsewhere(
    _ encoding: AnswerEncoding
  ) async throws(RPCError) -> EncodedMessage {
    try encoding.encode(self)
  }
}

extension CallContext {
  /// Encodes a long response away from the loop.
  ///
  /// Loop only.
  private func encoded(_ response: some Message) async throws(RPCError) -> EncodedMessage {
    let encoding = connection.encoding(for: self)
    return try await withTaskExecutorPreference(loop.executorOfLongWork) {
      () async throws(RPCError) -> EncodedMessage in
      try await response.encodedElsewhere(encoding)
    }
  }

  /// Answers the call with a long response.
  ///
  /// Loop only.
  @usableFromInline
  func finishElsewhere(_ response: some Message) async throws(RPCError) {
    guard !isOver else { return }
    answer(try await encoded(response))
  }

  /// Sends a long message of a response stream, for which there is room.
  ///
  /// Loop only.
  func encodedForStream(_ message: some Message) async throws(RPCError) -> EncodedMessage {
    guard !isOver else { throw RPCError(.cancelled, .cancelled, "the call is over") }
    return try await encoded(message)
  }
}
