internal import CNghttp2
internal import RPCKit

/// The client's half of an HTTP/2 connection without input and output: libnghttp2 in Swift.
///
/// Bytes of the server go in with `receive`, requests by stream; `send` turns requests into bytes. What either
/// of them finds out is kept as events until it is taken, since the library must not be entered a second time.
@safe
final class HTTP2ClientSession {
  /// A name in lower case and a value; `:status` is one too.
  typealias Field = TranslatedRequest.Field

  /// The event.
  enum Event {
    /// The server's settings were read.
    case settings(streamCountMax: Int)
    /// A block of fields: the head of an answer, or its trailers.
    case fields(UInt32, [Field])
    case content(UInt32, [UInt8])
    /// The answer is complete.
    case ended(UInt32)
    /// The stream is gone, with the code of RST_STREAM if there was one.
    case closed(UInt32, code: UInt32)
    /// The request was never sent, because the server takes no more.
    case unsent(UInt32)
    /// Content of the request went into frames.
    case sent(UInt32, byteCount: Int)
    /// The server answers our PING.
    case pong
    /// The server takes no requests after this one.
    case goAway(lastAccepted: UInt32)
  }

  /// The request's side of a stream.
  private final class Stream {
    var output = ByteBuffer()
    var isFinished = false
    var isDeferred = false
  }

  private var session: OpaquePointer?
  private var events: [Event] = []
  private var streams: [UInt32: Stream] = [:]
  private var fields: [Field] = []

  /// Bytes that `send` puts into the output before it leaves the rest to the next time.
  private static let outputByteCount = 64 << 10
  private static let connectionWindowByteCount: Int32 = 1 << 20

  /// Makes a session that has its preface to send; the server may send `windowByteCount` bytes on each stream
  /// before it is given more room.
  init(windowByteCount: Int) {
    unsafe session = nil
    var session: OpaquePointer?
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe nghttp2_session_client_new2(
      &session,
      HTTP2ClientLibrary.callbacks,
      data,
      HTTP2ClientLibrary.options
    )
    precondition(result == 0, "out of memory")
    unsafe self.session = session
    let settings = [
      (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, windowByteCount),
    ].map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: UInt32($0.1)) }
    unsafe nghttp2_submit_settings(session, none, settings, settings.count)
    unsafe nghttp2_session_set_local_window_size(session, none, 0, Self.connectionWindowByteCount)
  }

  deinit {
    unsafe nghttp2_session_del(session)
  }

  private var none: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

  // MARK: - In

  /// Reads bytes of the server; false when they cannot be HTTP/2.
  func receive(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count) >= 0
    }
  }

  /// The events since this was last called.
  func takeEvents() -> [Event] {
    let taken = events
    events = []
    return taken
  }

  /// Gives windows back: the connection's for what has arrived, a stream's for what was taken.
  func consume(_ byteCount: Int, of id: UInt32) {
    if byteCount > 0 { unsafe nghttp2_session_consume_stream(session, Int32(id), byteCount) }
  }

  // MARK: - Requests

  /// Opens a stream with the number that it is to have; false when numbers have run out.
  func request(_ id: UInt32, _ fields: [Field]) -> Bool {
    guard let number = Int32(exactly: id),
      unsafe nghttp2_session_set_next_stream_id(session, number) == 0
    else { return false }
    var provider = unsafe nghttp2_data_provider()
    unsafe provider.read_callback = { _, id, bytes, length, flags, _, data in
      guard let bytes = unsafe bytes, let flags = unsafe flags else {
        return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
      }
      return unsafe HTTP2ClientLibrary.session(data).readContent(
        UInt32(id),
        UnsafeMutableRawBufferPointer(start: bytes, count: length),
        &flags.pointee
      )
    }
    streams[id] = Stream()
    let opened = unsafe withFields(fields) { pairs in
      unsafe nghttp2_submit_request(session, nil, pairs.baseAddress, pairs.count, &provider, nil)
    }
    return opened == number
  }

  /// Adds content to a request.
  func write(_ id: UInt32, _ bytes: [UInt8]) {
    guard let stream = streams[id], !stream.isFinished else { return }
    stream.output.append(bytes.span)
    resume(stream, id)
  }

  /// Ends a request.
  func finish(_ id: UInt32) {
    guard let stream = streams[id], !stream.isFinished else { return }
    stream.isFinished = true
    resume(stream, id)
  }

  /// Gives a stream up.
  func reset(_ id: UInt32, code: HTTP2Code) {
    guard streams.removeValue(forKey: id) != nil else { return }
    unsafe nghttp2_submit_rst_stream(session, none, Int32(id), code.rawValue)
  }

  /// Asks for a sign of life.
  func ping() { unsafe nghttp2_submit_ping(session, none, nil) }

  /// Says that the client leaves; nothing else is sent.
  func terminate() { unsafe nghttp2_session_terminate_session(session, 0) }

  private func resume(_ stream: Stream, _ id: UInt32) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    unsafe nghttp2_session_resume_data(session, Int32(id))
  }

  // MARK: - Out

  /// Appends frames to `output` until there is no more to send or enough waits there; false when nothing more
  /// can be sent.
  func send(into output: inout ByteBuffer) -> Bool {
    while output.byteCount < Self.outputByteCount {
      var bytes: UnsafePointer<UInt8>?
      let count = unsafe nghttp2_session_mem_send(session, &bytes)
      guard count >= 0 else { return false }
      guard count > 0, let bytes = unsafe bytes else { return true }
      unsafe output.append(UnsafeBufferPointer(start: bytes, count: count).span)
    }
    return true
  }

  /// Whether there is nothing left to read or to send.
  var isOver: Bool {
    unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }
}

// MARK: - From the library

extension HTTP2ClientSession {
  func received(field name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    unsafe fields.append(
      (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    )
  }

  func received(content: UnsafeBufferPointer<UInt8>, _ id: UInt32) {
    // One slow stream does not hold up the others.
    unsafe nghttp2_session_consume_connection(session, content.count)
    unsafe events.append(.content(id, Array(content)))
  }

  func received(_ header: nghttp2_frame_hd, lastStreamID: UInt32) {
    let id = UInt32(header.stream_id)
    let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      events.append(.fields(id, fields))
      fields = []
      receivedEnd(header)
    case NGHTTP2_DATA.rawValue:
      receivedEnd(header)
    case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
      let count = unsafe nghttp2_session_get_remote_settings(
        session,
        NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS
      )
      events.append(.settings(streamCountMax: Int(count)))
    case NGHTTP2_PING.rawValue where isAcknowledgement:
      events.append(.pong)
    case NGHTTP2_GOAWAY.rawValue:
      events.append(.goAway(lastAccepted: lastStreamID))
    default:
      break
    }
  }

  private func receivedEnd(_ header: nghttp2_frame_hd) {
    guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
    events.append(.ended(UInt32(header.stream_id)))
  }

  func sent(_ header: nghttp2_frame_hd) {
    guard UInt32(header.type) == NGHTTP2_DATA.rawValue, header.length > 0 else { return }
    events.append(.sent(UInt32(header.stream_id), byteCount: header.length))
  }

  func didNotSend(_ header: nghttp2_frame_hd) {
    guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue else { return }
    events.append(.unsent(UInt32(header.stream_id)))
  }

  func closed(_ id: UInt32, code: UInt32) {
    streams[id] = nil
    events.append(.closed(id, code: code))
  }

  /// Fills the next frame of a request.
  func readContent(
    _ id: UInt32,
    _ bytes: UnsafeMutableRawBufferPointer,
    _ flags: inout UInt32
  ) -> Int {
    guard let stream = streams[id] else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    let count = min(bytes.count, stream.output.byteCount)
    guard count > 0 || stream.isFinished else {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    unsafe stream.output.withUnsafeBytes { content in
      if count > 0 {
        unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: content[..<count]))
      }
    }
    stream.output.consume(count)
    if stream.output.isEmpty, stream.isFinished { flags |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  /// Lends fields in the library's shape; it copies them.
  private func withFields<Result>(
    _ fields: [Field],
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    var text: [UInt8] = []
    for field in fields { text += Array((field.name + field.value).utf8) }
    return unsafe text.withUnsafeMutableBufferPointer { bytes in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { pairs in
        var next = bytes.baseAddress
        for (index, field) in fields.enumerated() {
          let (nameCount, valueCount) = (field.name.utf8.count, field.value.utf8.count)
          unsafe pairs.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: next,
              value: next.map { unsafe $0 + nameCount },
              namelen: nameCount,
              valuelen: valueCount,
              flags: 0
            )
          )
          unsafe next = unsafe next.map { unsafe $0 + nameCount + valueCount }
        }
        return unsafe body(pairs)
      }
    }
  }
}

/// Why a client resets a stream (RFC 9113 section 7), or a server did.
enum HTTP2Code: UInt32 {
  case noError = 0x0
  case protocolError = 0x1
  case refusedStream = 0x7
  case cancel = 0x8
  case enhanceYourCalm = 0xB
  case inadequateSecurity = 0xC
}
