import Synchronization

/// Calls: how they begin, and what is common to all their ends.
extension ClientConnection {
  /// Whether another frame may be appended without passing the hard limit.
  var hasRoomForOutput: Bool { output.byteCount < configuration.limits.outputByteCountMax }

  /// Begins a call: takes its number, appends its request, starts its timer.
  ///
  /// Returns why not. Loop only.
  ///
  /// `appendPayload` calls its second argument with the payload's size and then appends as much.
  func begin(
    _ target: CallRecord.Target,
    _ kind: MethodDescriptor.Kind,
    service: String,
    method: String,
    deadline: MonotonicInstant,
    metadata: Metadata,
    payloadFlags: FrameFlags = [],
    appendPayload: (inout ByteBuffer, (inout ByteBuffer, _ byteCount: Int) -> Void) -> Void
  ) -> Beginning {
    preconditionOnLoop()
    let timeoutNanoseconds =
      deadline == .distantFuture ? 0 : loop.now.nanoseconds(to: deadline)
    guard deadline == .distantFuture || timeoutNanoseconds > 0 else {
      return .refused(.deadlineExceeded)
    }
    guard hasRoomForOutput else { return .refused(.tooMuchOutput) }
    let start = output.byteCount
    let record = CallRecord(target: target, requestOffset: writtenByteCount &+ UInt64(start))
    let id: StreamID
    switch machine.start(record, kind) {
    case .send(let number, let isLastOfConnection):
      id = number
      if isLastOfConnection { drain() }
    case .refuseUnusable: return .refused(.connectionUnusable(failure))
    case .refuseTooManyStreams: return .refused(.tooManyStreams)
    }
    appendPayload(&output) { output, byteCount in
      RequestEnvelope.appendFrame(
        to: &output,
        streamID: id,
        flags: Self.openingFlags(kind).union(payloadFlags),
        service: service,
        method: method,
        timeoutNanoseconds: timeoutNanoseconds,
        metadata: metadata,
        payloadByteCount: byteCount
      )
    }
    let frameByteCount = output.byteCount - start - FrameHeader.byteCount
    guard frameByteCount <= machine.frameByteCountMax else {
      output.truncate(to: start)
      _ = machine.end(id)
      ended()
      return .refused(.requestTooLarge(frameByteCount, limit: machine.frameByteCountMax))
    }
    if deadline != .distantFuture {
      let timer = loop.schedule(at: deadline, target: self, token: UInt64(id.rawValue))
      machine.updateCall(id) { $0.timer = timer }
    }
    scheduleFlush()
    watchActivity()
    return .open(id)
  }

  /// The outcome of the attempt to begin a call.
  enum Beginning {
    case open(StreamID)
    case refused(RPCError)
  }

  /// 0x06 for open streams, not the 0x02 of stock Go clients: to stock Rust servers that would be
  /// an empty first message.
  private static func openingFlags(_ kind: MethodDescriptor.Kind) -> FrameFlags {
    switch kind {
    case .unary: []
    case .serverStreaming: .remoteClosed
    case .clientStreaming, .bidirectional: [.remoteOpen, .noData]
    }
  }

  /// Begins a call whose request can be encoded straight into the output.
  ///
  /// Loop only.
  func begin(
    _ call: ClientCall,
    appendPayload: (inout ByteBuffer, (inout ByteBuffer, _ byteCount: Int) -> Void) -> Void
  ) {
    switch call.phase {
    case .new: break
    case .withdrawn: return refuse(call, .cancelledByCaller)
    case .open, .ended: return
    }
    guard call.compressesRequest, mayDeflate else {
      return note(begin(call, [], appendPayload: appendPayload), of: call)
    }
    var message = ByteBuffer()
    appendPayload(&message) { _, _ in }
    let flags: FrameFlags = codec.compression.deflateIfWorthwhile(&message, .zlib) ? .deflated : []
    let beginning = begin(call, flags) { output, prefix in
      prefix(&output, message.byteCount)
      message.withBytes { output.append($0) }
    }
    note(beginning, of: call)
  }

  private func begin(
    _ call: ClientCall,
    _ payloadFlags: FrameFlags,
    appendPayload: (inout ByteBuffer, (inout ByteBuffer, _ byteCount: Int) -> Void) -> Void
  ) -> Beginning {
    begin(
      .call(call),
      call.kind,
      service: call.service,
      method: call.method,
      deadline: call.deadline,
      metadata: call.metadata,
      payloadFlags: payloadFlags,
      appendPayload: appendPayload
    )
  }

  /// Whether the server said that it can inflate.
  var mayDeflate: Bool { machine.mayDeflate(supported: configuration.features.contains(.deflate)) }

  private func note(_ beginning: Beginning, of call: ClientCall) {
    switch beginning {
    case .open(let id):
      call.phase = .open(id)
    case .refused(let error):
      refuse(call, error)
    }
  }

  /// Ends a call that never began.
  private func refuse(_ call: ClientCall, _ error: RPCError) {
    call.phase = .ended
    releaseLoad()
    call.fail(error)
  }

  /// Gives a call up on behalf of its caller.
  ///
  /// Loop only.
  func cancel(_ call: ClientCall) {
    preconditionOnLoop()
    switch call.phase {
    case .new:
      // Not answered yet: who waits for the answer is only known once the call is here.
      call.phase = .withdrawn
    case .open(let id):
      failOpen(id, .cancelledByCaller, sendsCancel: true)
    case .withdrawn, .ended:
      break
    }
  }

  // MARK: - Ends

  /// Gives back what every open call holds, once it left the machine.
  func finish(_ record: CallRecord) {
    if record.timer != .none { loop.cancel(record.timer) }
    if case .call = record.target { releaseLoad() }
  }

  /// Takes one call off the load, and lets the calls that wait for room know if it was full.
  private func releaseLoad() {
    let before = load.subtract(1, ordering: .relaxed).oldValue
    if before >= capacity.load(ordering: .relaxed) { owner?.connectionHasRoom(self) }
  }

  /// Tells the one who made the call that it failed, after `finish`.
  func fail(_ record: CallRecord, _ error: RPCError) {
    switch record.target {
    case .raw(let token):
      let text = Array(error.message.utf8)
      rawDelegate?.rawCallEnded(
        token,
        error.code,
        text.span,
        isNotProcessed: error.isNotProcessed
      )
    case .call(let call):
      call.phase = .ended
      call.fail(error)
    }
  }

  /// One call fewer is open.
  func ended() { closeIfDrained() }

  /// A call's own deadline passed, whatever the server does.
  func deadlinePassed(_ id: StreamID) {
    failOpen(id, .deadlineExceeded, sendsCancel: true)
  }
}

extension RPCError {
  /// The connection ended under a call, or just as it was chosen for one.
  static func connectionLost(_ cause: TransportError?, isNotProcessed: Bool) -> RPCError {
    let message = "the connection to the server was lost"
    return isNotProcessed
      ? .notSent(message, cause: cause) : RPCError(.unavailable, message, cause: cause)
  }

  /// `failure` is what closed the connection after somebody chose it for a call.
  fileprivate static func connectionUnusable(_ failure: TransportError?) -> RPCError {
    if let failure { return connectionLost(failure, isNotProcessed: true) }
    return .notSent("the connection takes no more calls")
  }

  fileprivate static var tooManyStreams: RPCError {
    .notSent("the connection has too many open calls")
  }

  fileprivate static var tooMuchOutput: RPCError {
    .notSent("too much output waits for the server")
  }

  fileprivate static func requestTooLarge(_ byteCount: Int, limit: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      "the request of \(byteCount) bytes is larger than the server's limit of \(limit)"
    )
  }
}
