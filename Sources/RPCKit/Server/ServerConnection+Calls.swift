extension ServerConnection {
  // MARK: - Opening

  /// Opens the call of a Request frame, or refuses it before its payload is looked at.
  func openCall(_ header: FrameHeader, _ bytes: Span<UInt8>, _ frame: Range<Int>) {
    let id = header.streamID
    let envelope: RequestEnvelope
    do throws(WireFormatError) {
      envelope = try RequestEnvelope(bytes, in: frame)
    } catch {
      violate(.malformedEnvelope)
      return answer(
        id,
        RPCError(.invalidArgument, .malformedRequest, "request envelope is not valid protobuf")
      )
    }
    switch core.methods.find(bytes, service: envelope.service, method: envelope.method) {
    case .found(let method):
      if let refusal = refusal(id, envelope, method) {
        core.observer.refused(method, refusal.code)
        return refuse(id, refusal, envelope, bytes)
      }
      begin(method, envelope, header, bytes)
    case .unknownService:
      core.observer.unknownMethod()
      let name = printable(bytes, envelope.service)
      refuse(id, RPCError(.unimplemented, .serviceUnknown, "service \(name)"), envelope, bytes)
    case .unknownMethod:
      core.observer.unknownMethod()
      let name = printable(bytes, envelope.method)
      refuse(id, RPCError(.unimplemented, .methodUnknown, "method \(name)"), envelope, bytes)
    }
  }

  /// Answers a call that is not begun with what was encoded before, unless there is more to say.
  private func refuse(
    _ id: StreamID,
    _ refusal: RefusalFrame,
    _ envelope: RequestEnvelope,
    _ bytes: Span<UInt8>
  ) {
    guard core.configuration.refusalDetails == nil || envelope.metadataCount == 0 else {
      return refuse(id, refusal.error, envelope, bytes)
    }
    refusal.append(to: &output, streamID: id)
    scheduleFlush()
  }

  /// Answers a call that is not begun, with what there is to say about its metadata.
  private func refuse(
    _ id: StreamID,
    _ error: RPCError,
    _ envelope: RequestEnvelope,
    _ bytes: Span<UInt8>
  ) {
    var error = error
    if let details = core.configuration.refusalDetails,
      (1...limits.metadataCountMax).contains(envelope.metadataCount),
      envelope.metadataByteCount <= limits.metadataByteCountMax,
      // What cannot be read says nothing, and the call is refused anyway.
      let metadata = try? latestMetadata.read(bytes, envelope)
    {
      error.details += details(metadata)
    }
    answer(id, error)
  }

  /// Why a call is not begun.
  ///
  /// The cheapest test comes first: under overload this is the hot path.
  private func refusal(
    _ id: StreamID,
    _ envelope: RequestEnvelope,
    _ method: BoundMethod
  ) -> RefusalFrame? {
    switch machine.admission(id) {
    case .accept: break
    case .refuseDraining: return core.refusals.draining
    case .refuseTooManyStreams:
      core.observer.limitReached(.streamsPerConnection)
      core.shed(method, .callsPerConnection, on: loop)
      return core.refusals.tooManyStreams
    }
    guard hasRoomForAnswers else {
      core.observer.limitReached(.outputRoom, source: source)
      return core.refusals.answersUnread
    }
    guard envelope.timeoutNanoseconds >= 0, deadline(envelope) > loop.now else {
      return core.refusals.expired
    }
    guard
      envelope.metadataCount <= limits.metadataCountMax,
      envelope.metadataByteCount <= limits.metadataByteCountMax
    else {
      core.observer.limitReached(.metadata)
      return core.refusals.tooMuchMetadata
    }
    switch core.admission.admit(method.priority) {
    case .admit:
      return method.isStreaming ? streamRefusal(method) : nil
    case .refuseFull:
      core.observer.limitReached(.runningHandlers)
      core.shed(method, .runningHandlers, on: loop)
      return core.refusals.overloaded
    case .refuseOverloaded:
      core.observer.overloaded(method.priority)
      core.shed(method, .overloaded, on: loop)
      return core.refusals.overloaded
    }
  }

  /// Why a streaming call that was admitted is not begun after all.
  private func streamRefusal(_ method: BoundMethod) -> RefusalFrame? {
    let refusal: (reason: ShedReason, frame: RefusalFrame)
    if streamingCallCount >= limits.streamingCallsPerConnectionMax {
      refusal = (.streamingCallsPerConnection, core.refusals.tooManyStreamingCallsOnConnection)
    } else if !core.streamingCalls.open() {
      refusal = (.streamingCalls, core.refusals.tooManyStreamingCalls)
    } else {
      streamingCallCount += 1
      return nil
    }
    core.admission.ended(latency: nil, now: loop.now)
    core.shed(method, refusal.reason, on: loop)
    return refusal.frame
  }

  /// Gives back what a call took that was admitted and whose handler does not start.
  private func release(_ method: BoundMethod) {
    core.admission.ended(latency: nil, now: loop.now)
    if method.isStreaming { closeStream(nil) }
  }

  private func closeStream(_ call: CallContext?) {
    streamingCallCount -= 1
    core.streamingCalls.close(call)
  }

  /// A deadline counts from the first byte of the request.
  private func deadline(_ envelope: RequestEnvelope) -> MonotonicInstant {
    guard envelope.timeoutNanoseconds != 0 else { return .distantFuture }
    return (frameStart ?? loop.now).advanced(byNanoseconds: envelope.timeoutNanoseconds)
  }

  private func begin(
    _ method: BoundMethod,
    _ envelope: RequestEnvelope,
    _ header: FrameHeader,
    _ bytes: Span<UInt8>
  ) {
    let id = header.streamID
    let metadata: Metadata
    do throws(WireFormatError) {
      metadata = try latestMetadata.read(bytes, envelope)
    } catch {
      release(method)
      violate(.malformedEnvelope)
      let fault = error == .invalidUTF8 ? "UTF-8" : "protobuf"
      return answer(
        id,
        RPCError(.invalidArgument, .malformedRequest, "metadata is not valid \(fault)")
      )
    }
    let now = loop.now
    timers.lastCall = now
    let call = CallContext(
      boundMethod: method,
      connection: self,
      streamID: id,
      metadata: metadata,
      deadline: deadline(envelope),
      received: now
    )
    machine.open(
      id,
      call: call,
      isUnaryRequest: method.isUnaryRequest,
      isInboundOpen: !method.isUnaryRequest && header.flags.contains(.remoteOpen)
    )
    if call.deadline != .distantFuture {
      call.timer = loop.schedule(at: call.deadline, target: self, token: UInt64(id.rawValue))
    }
    core.observer.started(call)
    if envelope.payload != nil { core.observer.receivedMessage(call) }
    start(call, envelope, header, bytes)
  }

  private func start(
    _ call: CallContext,
    _ envelope: RequestEnvelope,
    _ header: FrameHeader,
    _ bytes: Span<UInt8>
  ) {
    do {
      try call.enter()
    } catch {
      finish(call, throwing: error)
      return call.repliedNow()
    }
    // Without a payload a unary request is an empty message, and a stream has no message yet. Stock
    // Go sends the payload of a server-streaming request even when it is empty.
    let hasPayload = envelope.payload != nil
    let error = resources.codec.withInflated(
      bytes,
      envelope.payload ?? 0..<0,
      header,
      limit: limits.frameByteCountMax
    ) { payload in call.boundMethod.start(payload, hasPayload, call) }
    if let error {
      // How fast a request is refused that nobody can read says nothing of the handlers.
      call.tellsLatency = false
      finish(call, throwing: error)
      return call.repliedNow()
    }
    if !call.boundMethod.isUnaryRequest, !header.flags.contains(.remoteOpen) {
      call.inbound?.finish(nil)
    }
  }

  private func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    let end = min(range.upperBound, range.lowerBound + 256)
    // What is not text cannot be repeated to the caller.
    return (try? String(bytes, range.lowerBound..<end)) ?? "?"
  }

  // MARK: - Finishing

  /// Answers a call with its response, unless it is over already.
  func finish(_ call: CallContext, _ append: MessageAppending) throws(RPCError) {
    precondition(loop.isCurrent, "a call is answered on its connection's loop")
    guard retire(call) else { return }
    let start = output.byteCount
    let metadata = machine.dialect == .stock ? Metadata() : call.metadataToSend
    let byteCount = resources.codec.appendResponse(
      append,
      to: &output,
      streamID: call.streamID,
      metadata: metadata,
      deflates: mayDeflate
    )
    if byteCount > sendableByteCountMax {
      output.truncate(to: start)
      core.observer.limitReached(.frameBytes)
      answerFinished(
        call,
        RPCError(
          .resourceExhausted,
          .responseTooLarge,
          "the response of \(byteCount) bytes is larger than a frame"
        )
      )
      return
    }
    core.observer.ended(call, .ok)
    scheduleFlush()
  }

  /// Ends a response stream with OK.
  func finishStream(_ call: CallContext) {
    precondition(loop.isCurrent, "a call is answered on its connection's loop")
    guard retire(call) else { return }
    let metadata = machine.dialect == .stock ? Metadata() : call.metadataToSend
    if !metadata.isEmpty {
      ResponseEnvelope.appendSuccessPrefix(
        to: &output,
        streamID: call.streamID,
        flags: [],
        metadata: metadata,
        payloadByteCount: 0
      )
    } else {
      FrameHeader(
        payloadByteCount: 0,
        streamID: call.streamID,
        type: .data,
        flags: [.remoteClosed, .noData]
      ).append(to: &output)
    }
    core.observer.ended(call, .ok)
    scheduleFlush()
  }

  /// Answers a call with what its handler or an interceptor threw.
  func finish(_ call: CallContext, throwing error: any Error) {
    precondition(loop.isCurrent, "a call is answered on its connection's loop")
    let error = call.failed(error)
    guard retire(call) else { return }
    answerFinished(call, core.status(for: error, call))
  }

  /// Ends an open call from this side: deadline, stall, violation by the client.
  func fail(_ id: StreamID, _ error: RPCError) {
    guard let call = machine.end(id) else { return answer(id, error) }
    answer(id, core.completed(error, call))
    cancel(call, error)
  }

  /// Ends every call that answers a stream, because the server goes.
  func endResponseStreams() {
    for call in machine.openCalls
    where call.method.kind == .serverStreaming || call.method.kind == .bidirectional {
      fail(
        call.streamID,
        RPCError(.unavailable, .serverDraining, "the server is draining", retryAfter: .zero)
      )
    }
  }

  private func answerFinished(_ call: CallContext, _ error: RPCError) {
    var error = core.completed(error, call)
    if machine.dialect != .stock {
      for entry in call.metadataToSend.entries { error.metadata.append(entry.key, entry.value) }
    }
    answer(call.streamID, error)
    core.observer.ended(call, error.code)
  }

  /// Takes a call off the table for its answer; false when it is over already.
  private func retire(_ call: CallContext) -> Bool {
    guard !call.isOver, machine.end(call.streamID) != nil else { return false }
    settle(call)
    if call.inbound != nil {
      endInbound(call, RPCError(.cancelled, .cancelled, "the call is over"))
    }
    return true
  }

  /// Ends a call whose answer is sent or will never be read: its handler is cancelled and whatever
  /// it waits for ends.
  func cancel(_ call: CallContext, _ error: RPCError) {
    guard !call.isOver else { return }
    settle(call)
    endInbound(call, error)
    if error.code == .cancelled || call.slot.isWaiting { call.tellsLatency = false }
    core.observer.ended(call, error.code)
    call.worker?.cancel()
  }

  private func settle(_ call: CallContext) {
    call.isOver = true
    if call.timer != .none { loop.cancel(call.timer) }
    if call.waitingWriter != nil { wakeWriter(call) }
  }

  /// The handler's task has ended: only now is its place free.
  ///
  /// Returns when the call was over, as far as it is known: close to now, for a handler that did not
  /// suspend.
  func handlerReturned(_ call: CallContext) -> MonotonicInstant {
    precondition(loop.isCurrent, "a handler returns to its connection's loop")
    let end = call.ended ?? loop.preciseNow
    let wasWaiting = call.slot.end()
    let latency = call.received.nanoseconds(to: end) - call.slot.waitedNanoseconds
    core.admission.ended(
      latency: call.tellsLatency ? latency : nil,
      now: loop.now,
      isWaiting: wasWaiting
    )
    call.leave()
    core.observer.handlerReturned()
    if wasWaiting { core.observer.waitingHandlers(-1) }
    if call.boundMethod.isStreaming { closeStream(call) }
    call.worker = nil
    return end
  }

  /// The handler gives its place in admission control back while it waits.
  ///
  /// Loop only.
  func beginWaiting(_ call: CallContext) {
    guard call.slot.beginWaiting(now: loop.preciseNow) else { return }
    core.admission.beganWaiting()
    core.observer.waitingHandlers(1)
  }

  /// The handler works again.
  ///
  /// Loop only.
  func endWaiting(_ call: CallContext) {
    guard call.slot.endWaiting(now: loop.preciseNow) else { return }
    core.admission.endedWaiting()
    core.observer.waitingHandlers(-1)
  }

  // MARK: - Streaming

  /// Sends one message of a response stream.
  ///
  /// Loop only.
  func sendMessage<Response: Message>(
    _ call: CallContext,
    _ message: Response
  ) throws(RPCError) {
    guard !call.isOver else { throw RPCError(.cancelled, .cancelled, "the call is over") }
    let start = output.byteCount
    let byteCount = resources.codec.appendData(
      message,
      to: &output,
      streamID: call.streamID,
      deflates: mayDeflate
    )
    guard byteCount.frame <= sendableByteCountMax else {
      output.truncate(to: start)
      core.observer.limitReached(.frameBytes)
      throw RPCError(
        .resourceExhausted,
        .responseTooLarge,
        "a message of \(byteCount.frame) bytes is larger than a frame"
      )
    }
    call.tellsLatency = false
    machine.sent(call.streamID, payloadByteCount: byteCount.message)
    core.observer.sentMessage(call)
    scheduleFlush()
  }

  /// Largest frame payload that both sides take.
  private var sendableByteCountMax: Int {
    guard case .extended(let settings) = machine.dialect else { return limits.frameByteCountMax }
    return min(limits.frameByteCountMax, settings.frameByteCountMax)
  }

  /// Whether the client said that it can inflate, and this server was told to deflate.
  private var mayDeflate: Bool {
    guard case .extended(let settings) = machine.dialect else { return false }
    return core.configuration.compressesResponses && settings.features.contains(.deflate)
  }
}

extension RPCError {
  /// The same error small enough for a frame.
  func bounded(_ limits: Limits) -> RPCError {
    var size = message.utf8.count
    for detail in details { size += detail.value.count + detail.typeURL.utf8.count + 16 }
    for entry in metadata.entries { size += entry.key.utf8.count + entry.value.utf8.count + 16 }
    guard size > limits.frameByteCountMax / 2 else { return self }
    return RPCError(
      code,
      String(message.unicodeScalars.prefix(1024)),
      isNotProcessed: isNotProcessed
    )
  }
}
