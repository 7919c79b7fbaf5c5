internal import CNghttp2
internal import RPCKit

/// The server's half of an HTTP/2 connection without input and output: libnghttp2 in Swift.
///
/// Bytes go in with `receive`, what they mean comes out as `events`; answers go in by stream, and `send` turns
/// them into bytes. The library calls back only from inside of `receive` and `send`, and what it says there is
/// kept until they return, since it must not be entered a second time.
@safe
final class HTTP2Session {
  private let limits: HTTPLimits
  private var session: OpaquePointer?
  /// What happened since the events were last taken.
  private var events: [HTTP2Event] = []
  private var streams: [UInt32: HTTP2Stream] = [:]
  private var block: HTTP2FieldBlock?
  private var continuationCount = 0
  private var now: MonotonicInstant
  /// What is read, for the place of content in it.
  private var input: UnsafePointer<UInt8>?
  /// Where `send` puts frames.
  private var sink: UnsafeMutablePointer<ByteBuffer>?

  /// Content of answers that is not in frames yet.
  private(set) var heldByteCount = 0
  /// Whether the client's first SETTINGS frame was read, which ends its preface.
  private(set) var hasSettings = false
  /// Frames that carry nothing, since `takeCounts`.
  private var counts = HTTP2Counts()
  /// The code of the GOAWAY frame that ended the connection, if one did.
  private(set) var goAwayCode: UInt32?

  /// Bytes that `send` puts into the output before it leaves the rest to the next time.
  static let outputByteCount = 64 << 10
  /// CONTINUATION frames of one block of fields; the limit of fields is reached with two.
  private static let continuationCountMax = 8

  /// Makes a session that has its SETTINGS to send.
  init(_ limits: HTTPLimits, streamWindowByteCount: Int, now: MonotonicInstant) {
    self.limits = limits
    self.now = now
    unsafe input = nil
    unsafe sink = nil
    unsafe session = nil
    var session: OpaquePointer?
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe nghttp2_session_server_new2(
      &session,
      HTTP2Library.callbacks,
      data,
      HTTP2Library.options
    )
    precondition(result == 0, "out of memory")
    unsafe self.session = session
    submitSettings(streamWindowByteCount)
  }

  deinit {
    unsafe nghttp2_session_del(session)
  }

  private func submitSettings(_ streamWindowByteCount: Int) {
    let settings = [
      (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streamCountMax),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, streamWindowByteCount),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.fieldByteCountMax),
      (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: UInt32($0.1)) }
    unsafe nghttp2_submit_settings(session, Flags.none, settings, settings.count)
    unsafe nghttp2_session_set_local_window_size(
      session,
      Flags.none,
      0,
      Int32(limits.connectionWindowByteCount)
    )
  }

  // MARK: - In

  /// Reads bytes of the client.
  ///
  /// False when they cannot be HTTP/2 at all, or memory is short: nothing can be read or sent any more.
  func receive(_ bytes: Span<UInt8>, now: MonotonicInstant) -> Bool {
    self.now = now
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe input = bytes.baseAddress
      defer { unsafe input = nil }
      return unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count) >= 0
    }
  }

  /// What happened since this was last called.
  func takeEvents() -> [HTTP2Event] {
    let taken = events
    events = []
    return taken
  }

  /// What the client and this end did since this was last called.
  func takeCounts() -> HTTP2Counts {
    let taken = counts
    counts = HTTP2Counts()
    return taken
  }

  /// Whether fields are being read that are not complete.
  var isInsideFields: Bool { block != nil }

  /// Whether a request can still be answered.
  func isOpen(_ id: UInt32) -> Bool { streams[id] != nil }

  /// A stream that is not closed.
  func stream(_ id: UInt32) -> HTTP2Stream? { streams[id] }

  /// The streams that are not closed.
  var openStreams: [HTTP2Stream] { Array(streams.values) }

  /// Whether no stream is open.
  var isEmpty: Bool { streams.isEmpty }

  /// Gives the connection's window back.
  func consumeConnection(_ byteCount: Int) {
    unsafe nghttp2_session_consume_connection(session, byteCount)
  }

  /// Gives a stream's window back.
  func consume(_ byteCount: Int, _ id: UInt32) {
    guard isOpen(id) else { return }
    unsafe nghttp2_session_consume_stream(session, Int32(id), byteCount)
  }

  // MARK: - Answers

  /// Sends an interim answer (RFC 9110 section 15.2).
  func respondInterim(_ id: UInt32, status: Int) {
    guard let stream = streams[id], !stream.hasHead else { return }
    unsafe withFields([HTTPFields.Field(name: ":status", value: String(status))]) { fields in
      _ = unsafe nghttp2_submit_headers(
        session,
        Flags.none,
        Int32(id),
        nil,
        fields.baseAddress,
        fields.count,
        nil
      )
    }
  }

  /// Sends the head of an answer; with `isEnd` it is all of it.
  func respond(_ id: UInt32, _ head: HTTPResponseHead, isEnd: Bool) {
    guard let stream = streams[id], !stream.hasHead else { return }
    stream.hasHead = true
    stream.isAnswerEnded = isEnd
    var fields = [HTTPFields.Field(name: ":status", value: String(head.status))]
    fields += head.fields.fields
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.read_callback = { _, id, _, length, flags, _, data in
      guard let flags = unsafe flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      return unsafe HTTP2Library.session(data).readContent(UInt32(id), length, &flags.pointee)
    }
    unsafe withFields(fields) { fields in
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
    if before == 0 { stream.lastSent = now }
    write(&stream.output)
    heldByteCount += stream.output.byteCount - before
    resume(stream)
  }

  /// Ends an answer.
  func finish(_ id: UInt32, trailers: HTTPFields) {
    guard let stream = streams[id], stream.hasHead, !stream.isAnswerEnded else { return }
    stream.isAnswerEnded = true
    stream.trailers = trailers
    resume(stream)
  }

  /// Gives a stream up: what of its answer is not in frames is dropped.
  func reset(_ id: UInt32, _ code: HTTP2ErrorCode) {
    guard let stream = streams[id] else { return }
    drop(stream)
    unsafe nghttp2_submit_rst_stream(session, Flags.none, Int32(id), code.rawValue)
  }

  private func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    unsafe nghttp2_session_resume_data(session, Int32(stream.id))
  }

  private func drop(_ stream: HTTP2Stream) {
    heldByteCount -= stream.output.byteCount
    stream.output.release()
    stream.isAnswerEnded = true
  }

  // MARK: - The end

  /// Says that requests may soon be refused (RFC 9113 section 6.8), and asks when that has arrived.
  func warnOfShutdown() {
    unsafe nghttp2_submit_shutdown_notice(session)
    unsafe nghttp2_submit_ping(session, Flags.none, nil)
  }

  /// Takes no request after those that were read.
  func refuseFurther() {
    let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
    unsafe nghttp2_submit_goaway(session, Flags.none, last, 0, nil, 0)
  }

  /// Ends the connection with an error; nothing but its GOAWAY frame is sent any more.
  func terminate(_ code: HTTP2ErrorCode) {
    unsafe nghttp2_session_terminate_session(session, code.rawValue)
  }

  /// Whether `receive` still looks at what it is given.
  ///
  /// Not after the client's GOAWAY frame once no stream is open: a request behind it is served only if it came in
  /// the same read, as the connection has ended otherwise.
  var isReading: Bool { unsafe nghttp2_session_want_read(session) != 0 }

  /// Whether there is nothing left to read or to send.
  var isOver: Bool { unsafe !isReading && nghttp2_session_want_write(session) == 0 }

  /// Frames that wait, apart from content.
  var queuedFrameCount: Int { unsafe Int(nghttp2_session_get_outbound_queue_size(session)) }

  /// Drops what is not in frames, since nothing more will be sent.
  func dropAll() {
    for stream in streams.values { drop(stream) }
  }

  // MARK: - Out

  /// Appends frames to `output` until there is no more to send or enough waits there.
  ///
  /// False when memory is short: nothing can be sent any more.
  func send(into output: inout ByteBuffer, now: MonotonicInstant) -> Bool {
    self.now = now
    return unsafe withUnsafeMutablePointer(to: &output) { output in
      unsafe sink = output
      defer { unsafe sink = nil }
      while unsafe output.pointee.byteCount < Self.outputByteCount {
        var frame: UnsafePointer<UInt8>?
        let count = unsafe nghttp2_session_mem_send(session, &frame)
        guard count >= 0 else { return false }
        // Content goes into the output directly, and then the library returns nothing when that is full.
        guard count > 0, let frame = unsafe frame else { break }
        unsafe output.pointee.append(UnsafeBufferPointer(start: frame, count: count).span)
      }
      return true
    }
  }
}

// MARK: - From the library

extension HTTP2Session {
  fileprivate func append(_ event: HTTP2Event) { events.append(event) }

  func frameBegins(type: UInt8, flags: UInt8) {
    switch Int(type) {
    case Int(NGHTTP2_HEADERS.rawValue):
      continuationCount = 0
    case Int(NGHTTP2_CONTINUATION.rawValue):
      counts.emptyFrameCount += 1
      continuationCount += 1
      if continuationCount > Self.continuationCountMax { counts.hasTooManyContinuations = true }
    case Int(NGHTTP2_DATA.rawValue):
      break
    case Int(NGHTTP2_SETTINGS.rawValue):
      // Each is answered, and can make the table of the compressor anew.
      counts.emptyFrameCount += 10
    default:
      counts.emptyFrameCount += 1
    }
  }

  func fieldsBegin(_ id: UInt32, isRequest: Bool) {
    block = HTTP2FieldBlock(streamID: id, received: now)
    guard isRequest else { return }
    counts.openedCount += 1
    streams[id] = HTTP2Stream(id: id, now: now)
  }

  func received(field name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    let isKept = block?.admits(
      nameByteCount: name.count,
      valueByteCount: value.count,
      limits
    )
    guard isKept == true else { return }
    unsafe block?.append(
      String(decoding: name, as: UTF8.self),
      String(decoding: value, as: UTF8.self)
    )
  }

  func received(content: UnsafePointer<UInt8>, count: Int, _ id: UInt32) {
    guard let input = unsafe input else { return }
    append(.content(id, offset: unsafe content - input, count: count))
  }

  func received(_ header: nghttp2_frame_hd, paddingByteCount: Int) {
    let id = UInt32(header.stream_id)
    let isEnd = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      receivedFields(isEnd: isEnd)
    case NGHTTP2_DATA.rawValue:
      if isEnd {
        ended(id, nil)
      } else if header.length <= paddingByteCount {
        counts.emptyFrameCount += 1
      }
    case NGHTTP2_RST_STREAM.rawValue:
      // One of a stream that was answered, or never was, is a frame that carries nothing and no more.
      if streams[id]?.isAnswerEnded == false { append(.reset(id)) }
    case NGHTTP2_SETTINGS.rawValue:
      hasSettings = true
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
      append(.pong)
    default:
      break
    }
  }

  private func receivedFields(isEnd: Bool) {
    guard var block = block.take() else { return }
    block.isEnd = isEnd
    guard let stream = streams[block.streamID] else { return }
    if stream.hasFields {
      ended(block.streamID, block)
    } else {
      stream.hasFields = true
      stream.isRequestEnded = isEnd
      append(.head(block))
    }
  }

  private func ended(_ id: UInt32, _ trailers: HTTP2FieldBlock?) {
    streams[id]?.isRequestEnded = true
    append(.end(id, trailers))
  }

  func sent(_ frame: nghttp2_frame_hd, code: UInt32) {
    let id = UInt32(frame.stream_id)
    switch UInt32(frame.type) {
    case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
      if UInt32(frame.type) == NGHTTP2_DATA.rawValue { counts.sentContentCount += 1 }
      if frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { append(.answered(id)) }
    case NGHTTP2_RST_STREAM.rawValue:
      switch HTTP2ErrorCode(rawValue: code) {
      // These we send for reasons of our own; all others the client provokes.
      case .noError, .internalError, .cancel: break
      default: counts.provokedResetCount += 1
      }
    case NGHTTP2_GOAWAY.rawValue:
      if code != 0 { goAwayCode = code }
    default:
      break
    }
  }

  func didNotSend(_ frame: nghttp2_frame_hd) {
    guard UInt32(frame.type) == NGHTTP2_HEADERS.rawValue else { return }
    append(.unsendable(UInt32(frame.stream_id)))
  }

  func closed(_ id: UInt32) {
    if block?.streamID == id { block = nil }
    guard let stream = streams.removeValue(forKey: id) else { return }
    drop(stream)
    append(.closed(id))
  }

  /// Says how much of a stream's content goes into the next frame.
  func readContent(_ id: UInt32, _ length: Int, _ flags: inout UInt32) -> Int {
    guard let stream = streams[id] else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let count = min(length, stream.output.byteCount)
    guard count > 0 || stream.isAnswerEnded else {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    flags |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    guard stream.isAnswerEnded, count == stream.output.byteCount else { return count }
    flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
    if !stream.trailers.isEmpty {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      unsafe withFields(stream.trailers.fields) { fields in
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
    stream.output.withBytes { bytes in unsafe sink.pointee.append(bytes.extracting(0..<count)) }
    stream.output.consume(count)
    heldByteCount -= count
    stream.lastSent = now
    if stream.output.isEmpty { stream.output.release() }
    let isFull = unsafe sink.pointee.byteCount >= Self.outputByteCount
    return isFull ? NGHTTP2_ERR_PAUSE.rawValue : 0
  }

  /// Lends fields in the library's shape; it copies them.
  private func withFields(
    _ fields: [HTTPFields.Field],
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> some Any
  ) {
    let byteCount = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount + 1) { bytes in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { pairs in
        var offset = 0
        for (index, field) in fields.enumerated() {
          let name = unsafe Self.copy(field.name, to: bytes, &offset)
          let value = unsafe Self.copy(field.value, to: bytes, &offset)
          unsafe pairs.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: name,
              value: value,
              namelen: field.name.utf8.count,
              valuelen: field.value.utf8.count,
              flags: 0
            )
          )
        }
        _ = unsafe body(pairs)
      }
    }
  }

  private static func copy(
    _ text: String,
    to bytes: UnsafeMutableBufferPointer<UInt8>,
    _ offset: inout Int
  ) -> UnsafeMutablePointer<UInt8>? {
    let start = offset
    for byte in text.utf8 {
      unsafe bytes[offset] = byte
      offset += 1
    }
    return unsafe bytes.baseAddress.map { unsafe $0 + start }
  }
}

private enum Flags {
  static let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
}
