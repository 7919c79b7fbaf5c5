internal import CNghttp2
internal import RPCKit

/// The server's half of an HTTP/2 connection without input and output: libnghttp2 in Swift.
///
/// Bytes go in with `receive`, what they mean comes out as `events`; answers go in by stream, and `send` turns
/// them into bytes. The library calls back only from inside of `receive` and `send`, and what it says there is
/// kept until they return, since it must not be entered a second time.
@safe
final class HTTP2Session {
  let limits: HTTPLimits
  private(set) var session: OpaquePointer?
  /// The events since they were last taken.
  var events: [HTTP2Event] {
    @inline(__always) _read { yield confinedEvents.value }
    @inline(__always) _modify { yield &confinedEvents.value }
  }
  private var spareEvents: [HTTP2Event] {
    @inline(__always) _read { yield confinedSpareEvents.value }
    @inline(__always) _modify { yield &confinedSpareEvents.value }
  }
  var streams: NumberTable<HTTP2Stream> {
    @inline(__always) _read { yield confinedStreams.value }
    @inline(__always) _modify { yield &confinedStreams.value }
  }
  /// Streams that are closed, for the next ones.
  var spareStreams: [HTTP2Stream] {
    @inline(__always) _read { yield confinedSpareStreams.value }
    @inline(__always) _modify { yield &confinedSpareStreams.value }
  }
  /// The block of fields that is not complete.
  var block: HTTP2FieldBlock? {
    @inline(__always) _read { yield confinedBlock.value }
    @inline(__always) _modify { yield &confinedBlock.value }
  }
  /// The fields of the last request.
  var recent: RecentFields {
    @inline(__always) _read { yield confinedRecent.value }
    @inline(__always) _modify { yield &confinedRecent.value }
  }
  /// The head of the last request, if `recent` has all of its fields.
  var recentHead: HTTPRequestHead?
  /// Bytes of requests that may be kept of what is read next.
  var fieldRoom = Int.max
  /// CONTINUATION frames of the block that was begun last.
  var continuationCount = 0
  /// Streams that clients have ended, for a while.
  var endedStreams: EndedStreams {
    @inline(__always) _read { yield confinedEndedStreams.value }
    @inline(__always) _modify { yield &confinedEndedStreams.value }
  }
  /// When `receive` or `send` was last called.
  private(set) var now: MonotonicInstant
  /// The bytes that are read, for the place of content in them.
  private(set) var input: UnsafePointer<UInt8>?
  /// Where `send` puts frames.
  private(set) var sink: UnsafeMutablePointer<ByteBuffer>?

  /// Content of answers that is not in frames yet, but for what they share.
  var heldByteCount = 0
  /// Memory of that content.
  var heldMemory = 0
  /// Whether the client's first SETTINGS frame was read, which ends its preface.
  var hasSettings = false
  /// Frames that carry nothing, since `takeCounts`.
  var counts: HTTP2Counts {
    @inline(__always) _read { yield confinedCounts.value }
    @inline(__always) _modify { yield &confinedCounts.value }
  }

  private let confinedEvents = Confined([HTTP2Event]())
  private let confinedSpareEvents = Confined([HTTP2Event]())
  private let confinedStreams = Confined(NumberTable<HTTP2Stream>())
  private let confinedSpareStreams = Confined([HTTP2Stream]())
  private let confinedBlock = Confined(HTTP2FieldBlock?.none)
  private let confinedRecent = Confined(RecentFields())
  private let confinedEndedStreams = Confined(EndedStreams())
  private let confinedCounts = Confined(HTTP2Counts())
  /// The code of the GOAWAY frame that ended the connection, if one did.
  var goAwayCode: UInt32?

  /// The memory of the library and this on a connection at rest, in bytes, about: measured.
  static let memory = 16 << 10

  /// Streams that are kept for the next ones: as many as most clients have open.
  static let spareStreamCountMax = 16

  /// Bytes that `send` puts into the output before it leaves the rest to the next time.
  static let outputByteCount = 64 << 10

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
    unsafe nghttp2_submit_settings(session, HTTP2Library.noFlags, settings, settings.count)
    unsafe nghttp2_session_set_local_window_size(
      session,
      HTTP2Library.noFlags,
      0,
      Int32(limits.connectionWindowByteCount)
    )
  }

  // MARK: - In

  /// Reads bytes of the client.
  ///
  /// False when they cannot be HTTP/2 at all, or memory is short: nothing can be read or sent.
  func receive(_ bytes: Span<UInt8>, now: MonotonicInstant) -> Bool {
    self.now = now
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe input = bytes.baseAddress
      defer { unsafe input = nil }
      return unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count) >= 0
    }
  }

  /// Hands out the events since this was last called, in order.
  func takeEvents(_ body: (HTTP2Event) -> Void) {
    guard !events.isEmpty else { return }
    // Moved out, as taking one can make others; the memory stays for the next ones.
    var taken: [HTTP2Event] = []
    swap(&taken, &events)
    swap(&spareEvents, &events)
    for event in taken { body(event) }
    taken.removeAll(keepingCapacity: true)
    spareEvents = taken
  }

  /// The counts of the client and this end since this was last called.
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
  var openStreams: [HTTP2Stream] { streams.values }

  /// Whether no stream is open.
  var isEmpty: Bool { streams.isEmpty }

  /// Gives memory back that requests have needed, and what was kept of the last one.
  func rest() {
    if streams.isEmpty { streams = NumberTable() }
    (events, spareEvents, spareStreams) = ([], [], [])
    recent = RecentFields()
    recentHead = nil
  }

  /// Gives the connection's window back.
  func consumeConnection(_ byteCount: Int) {
    unsafe nghttp2_session_consume_connection(session, byteCount)
  }

  /// Gives a stream's window back.
  func consume(_ byteCount: Int, _ id: UInt32) {
    guard isOpen(id) else { return }
    unsafe nghttp2_session_consume_stream(session, Int32(id), byteCount)
  }

  // MARK: - The end

  /// Says that requests may soon be refused (RFC 9113 section 6.8), and asks when that has arrived.
  func warnOfShutdown() {
    unsafe nghttp2_submit_shutdown_notice(session)
    unsafe nghttp2_submit_ping(session, HTTP2Library.noFlags, nil)
  }

  /// Takes no request after those that were read.
  func refuseFurther() {
    let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
    unsafe nghttp2_submit_goaway(session, HTTP2Library.noFlags, last, 0, nil, 0)
  }

  /// Ends the connection with an error; nothing but its GOAWAY frame is sent.
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
  /// False when memory is short: nothing can be sent.
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
