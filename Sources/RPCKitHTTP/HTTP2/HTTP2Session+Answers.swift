internal import CNghttp2
internal import RPCKit

/// Answers: what goes into streams, and how the library takes content out of them.
extension HTTP2Session {
  /// Sends an interim answer (RFC 9110 section 15.2).
  func respondInterim(_ id: UInt32, status: Int) {
    guard let stream = streams[id], !stream.hasHead else { return }
    let fields = [HTTPFields.Field(name: ":status", value: String(status))]
    unsafe fields.withNameValuePairs { fields in
      _ = unsafe nghttp2_submit_headers(
        session,
        HTTP2Library.noFlags,
        Int32(id),
        nil,
        fields.baseAddress,
        fields.count,
        nil
      )
    }
  }

  /// Sends the head of an answer and its date; with `isEnd` it is all of it.
  func respond(_ id: UInt32, _ head: HTTPResponseHead, date: String, isEnd: Bool) {
    guard let stream = streams[id], !stream.hasHead else { return }
    stream.hasHead = true
    stream.isAnswerEnded = isEnd
    stream.commonFields = head.common
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.read_callback = { _, id, _, length, flags, _, data in
      guard let flags = unsafe flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      return unsafe HTTP2Library.lend(data) { session in
        unsafe session.readContent(UInt32(id), length, &flags.pointee)
      }
    }
    unsafe head.withNameValuePairs(date: date) { fields in
      if isEnd {
        unsafe nghttp2_submit_response(session, Int32(id), fields.baseAddress, fields.count, nil)
      } else {
        unsafe nghttp2_submit_response(
          session,
          Int32(id),
          fields.baseAddress,
          fields.count,
          &provider
        )
      }
    }
  }

  /// Adds content that `write` appends to an answer.
  func write(_ id: UInt32, _ write: (inout ByteBuffer) -> Void) {
    guard let stream = streams[id], stream.hasHead, !stream.isAnswerEnded else { return }
    let before = stream.output.byteCount
    let memoryBefore = stream.output.allocatedByteCount
    if before == 0 {
      stream.lastSent = now
      if memoryBefore == 0 {
        stream.output = ByteBuffer(capacity: HTTP2Stream.outputCapacity)
      }
    }
    write(&stream.output)
    heldByteCount += stream.output.byteCount - before
    heldMemory += stream.output.allocatedByteCount - memoryBefore
    resume(stream)
  }

  /// Makes all the content of an answer what it shares with others.
  func write(_ id: UInt32, sharing content: HTTPContent) {
    guard let stream = streams[id], stream.hasHead, !stream.isAnswerEnded else { return }
    stream.lastSent = now
    stream.shared = HTTPContent.Rest(content)
    resume(stream)
  }

  /// Ends an answer.
  func finish(_ id: UInt32, trailers: HTTPFields) {
    guard let stream = streams[id], stream.hasHead, !stream.isAnswerEnded else { return }
    stream.isAnswerEnded = true
    stream.trailers = trailers
    resume(stream)
  }

  /// Ends an answer with trailers that others have too.
  func finish(_ id: UInt32, common trailers: CommonFields) {
    guard let stream = streams[id], stream.hasHead, !stream.isAnswerEnded else { return }
    stream.isAnswerEnded = true
    stream.commonTrailers = trailers
    resume(stream)
  }

  /// Gives a stream up: what of its answer is not in frames is dropped.
  func reset(_ id: UInt32, _ code: HTTP2ErrorCode) {
    guard let stream = streams[id] else { return }
    drop(stream)
    unsafe nghttp2_submit_rst_stream(session, HTTP2Library.noFlags, Int32(id), code.rawValue)
  }

  private func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    unsafe nghttp2_session_resume_data(session, Int32(stream.id))
  }

  /// Drops what of an answer is not in frames; nothing is added to it.
  func drop(_ stream: HTTP2Stream) {
    heldByteCount -= stream.output.byteCount
    heldMemory -= stream.output.allocatedByteCount
    stream.output.release()
    stream.shared = nil
    stream.isAnswerEnded = true
  }

  // MARK: - Content, as the library asks for it

  /// Says how much of a stream's content goes into the next frame.
  func readContent(_ id: UInt32, _ length: Int, _ flags: inout UInt32) -> Int {
    guard let stream = streams[id] else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let waiting = stream.waitingByteCount
    let count = min(length, waiting)
    guard count > 0 || stream.isAnswerEnded else {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    flags |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    guard stream.isAnswerEnded, count == waiting else { return count }
    flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
    if let common = stream.commonTrailers {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      unsafe common.withNameValuePairs { fields in
        unsafe nghttp2_submit_trailer(session, Int32(id), fields.baseAddress, fields.count)
      }
    } else if !stream.trailers.isEmpty {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      unsafe stream.trailers.fields.withNameValuePairs { fields in
        unsafe nghttp2_submit_trailer(session, Int32(id), fields.baseAddress, fields.count)
      }
    }
    return count
  }

  /// Puts a DATA frame into the output, without a copy in between.
  func sendContent(_ id: UInt32, header: UnsafeRawBufferPointer, count: Int) -> Int32 {
    guard let sink = unsafe sink, let stream = streams[id] else {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    unsafe sink.pointee.append(Span(_unsafeBytes: header))
    stream.lastSent = now
    if stream.shared != nil {
      unsafe stream.shared?.take(count, into: &sink.pointee)
    } else {
      takeOutput(of: stream, count) { bytes in unsafe sink.pointee.append(bytes) }
    }
    let isFull = unsafe sink.pointee.byteCount >= Self.outputByteCount
    return isFull ? NGHTTP2_ERR_PAUSE.rawValue : 0
  }

  /// Takes bytes off the front of what only this answer has.
  private func takeOutput(of stream: HTTP2Stream, _ count: Int, _ body: (Span<UInt8>) -> Void) {
    let memoryBefore = stream.output.allocatedByteCount
    stream.output.withBytes { body($0.extracting(0..<count)) }
    stream.output.consume(count)
    if stream.output.isEmpty { stream.output.release() } else { stream.output.shrink() }
    heldByteCount -= count
    heldMemory += stream.output.allocatedByteCount - memoryBefore
  }
}
