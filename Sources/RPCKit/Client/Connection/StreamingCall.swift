/// The part of a streaming call that sends: messages wait their turn for credit and room.
///
/// `@unchecked Sendable`: see `ClientCall`; everything here is loop only except `connection`.
class StreamingCall: ClientCall, @unchecked Sendable {
  /// A message, or the end of messages, that waits to be sent.
  final class Waiting {
    enum Content {
      case message(deflates: Bool)
      case end
    }

    let content: Content
    /// Names the writer, for its cancellation.
    let token: WriteToken
    var payload: ByteBuffer
    let continuation: CallContinuation<Void>

    init(
      _ content: Content,
      _ token: WriteToken,
      _ payload: consuming ByteBuffer,
      _ continuation: CallContinuation<Void>
    ) {
      self.content = content
      self.token = token
      self.payload = payload
      self.continuation = continuation
    }
  }

  /// Names one write by its identity.
  ///
  /// `@unchecked Sendable`: `isWithdrawn` is touched on the loop only.
  final class WriteToken: @unchecked Sendable {
    /// Its task was cancelled, which the loop can learn before the write comes.
    var isWithdrawn = false
  }

  let connection: ClientConnection
  private var waiting: [Waiting] = []
  private var waitsForRoom = false
  /// The error that writers get once the call is over.
  private(set) var outcomeForWriters: RPCError?

  init(
    _ method: MethodDescriptor,
    _ plan: CallPlan,
    on connection: ClientConnection
  ) {
    self.connection = connection
    super.init(method, plan)
  }

  /// Sends at once if nothing is ahead and there is credit and room.
  func trySend(_ message: some Message, deflates: Bool) -> Result<Bool, RPCError> {
    if let outcomeForWriters { return .failure(outcomeForWriters) }
    guard waiting.isEmpty, connection.hasRoomForWriter, let id = streamID else {
      return .success(false)
    }
    switch connection.machine.admitMessage(id) {
    case .wait: return .success(false)
    case .refuse: return .failure(.writingFinished)
    case .send:
      let error = connection.appendMessage(
        id,
        deflates: deflates,
        { message.append(to: &$0, prefix: $1) }
      )
      return error.map { .failure($0) } ?? .success(true)
    }
  }

  /// Queues a message or the end behind those that wait already.
  func enqueue(_ item: Waiting) {
    if let outcomeForWriters {
      item.continuation.resume(.failure(outcomeForWriters))
      return
    }
    guard !item.token.isWithdrawn else {
      item.continuation.resume(.failure(.cancelledByCaller))
      return
    }
    waiting.append(item)
    sendWaiting()
  }

  /// The task of a waiting writer was cancelled.
  func withdraw(_ token: WriteToken) {
    token.isWithdrawn = true
    guard let index = waiting.firstIndex(where: { $0.token === token }) else { return }
    waiting.remove(at: index).continuation.resume(.failure(.cancelledByCaller))
  }

  override func becameWritable() {
    waitsForRoom = false
    sendWaiting()
  }

  private func sendWaiting() {
    var sentCount = 0
    defer { waiting.removeFirst(sentCount) }
    while sentCount < waiting.count, let id = streamID {
      guard connection.hasRoomForWriter else {
        if !waitsForRoom { connection.waitingWriters.append(self) }
        waitsForRoom = true
        return
      }
      guard let outcome = send(waiting[sentCount], id) else { return }
      waiting[sentCount].continuation.resume(outcome)
      sentCount += 1
    }
  }

  /// Sends one; nil when it has to wait for credit.
  private func send(_ item: Waiting, _ id: StreamID) -> Result<Void, RPCError>? {
    guard case .message(let deflates) = item.content else {
      connection.appendEnd(id)
      return .success(())
    }
    switch connection.machine.admitMessage(id) {
    case .wait: return nil
    case .refuse: return .failure(.writingFinished)
    case .send:
      let error = connection.appendMessage(id, deflates: deflates) { output, prefix in
        prefix(&output, item.payload.byteCount)
        item.payload.withBytes { output.append($0) }
      }
      return error.map { .failure($0) } ?? .success(())
    }
  }

  /// Tells all writers, waiting and future, that the call is over.
  final func endWriters(_ error: RPCError?) {
    let outcome = error ?? .endedByServer
    outcomeForWriters = outcome
    var items: [Waiting] = []
    swap(&items, &waiting)
    for item in items { item.continuation.resume(.failure(outcome)) }
  }
}

extension ClientConnection {
  /// Whether a stream may add a message now: below the limit where writers wait.
  var hasRoomForWriter: Bool {
    output.byteCount < configuration.limits.outputWriterByteCountMax
  }

  /// Appends a message of an open call; returns why not.
  func appendMessage(
    _ id: StreamID,
    deflates: Bool,
    _ append: (inout ByteBuffer, (inout ByteBuffer, _ byteCount: Int) -> Void) -> Void
  ) -> RPCError? {
    let start = output.byteCount
    var messageByteCount = 0
    if deflates, mayDeflate {
      var message = ByteBuffer()
      append(&message) { _, _ in }
      messageByteCount = message.byteCount
      let flags: FrameFlags =
        codec.compression.deflateIfWorthwhile(&message, .zlib) ? .deflated : []
      FrameHeader(
        payloadByteCount: message.byteCount,
        streamID: id,
        type: .data,
        flags: flags
      ).append(to: &output)
      message.withBytes { output.append($0) }
    } else {
      append(&output) { output, byteCount in
        messageByteCount = byteCount
        FrameHeader(payloadByteCount: byteCount, streamID: id, type: .data).append(to: &output)
      }
    }
    let byteCount = output.byteCount - start - FrameHeader.byteCount
    guard byteCount <= machine.frameByteCountMax else {
      output.truncate(to: start)
      return .messageTooLarge(byteCount, limit: machine.frameByteCountMax)
    }
    machine.sent(id, payloadByteCount: messageByteCount)
    scheduleFlush()
    watchActivity()
    return nil
  }

  /// Appends the end of this side's messages, once.
  ///
  /// Always an empty frame: stock Go servers refuse one with a message.
  func appendEnd(_ id: StreamID) {
    guard machine.finishSending(id) else { return }
    FrameHeader(
      payloadByteCount: 0,
      streamID: id,
      type: .data,
      flags: [.remoteClosed, .noData]
    ).append(to: &output)
    scheduleFlush()
  }
}

extension RPCError {
  static var writingFinished: RPCError {
    RPCError(.failedPrecondition, "the messages of this call were finished already")
  }

  /// Marks the error of a write after the server ended the call with OK.
  struct EndedByServer: Error {}

  static var endedByServer: RPCError {
    RPCError(
      .failedPrecondition,
      "the server has ended the call already",
      cause: EndedByServer()
    )
  }

  static func messageTooLarge(_ byteCount: Int, limit: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      "the message of \(byteCount) bytes is larger than the server's limit of \(limit)"
    )
  }
}
