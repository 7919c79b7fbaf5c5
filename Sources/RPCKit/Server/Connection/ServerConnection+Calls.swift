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
      if let refusal = refusal(id, envelope, method, header.payloadByteCount) {
        core.observer.refused(method, refusal.code)
        return refuse(id, refusal, envelope, bytes)
      }
      if let error = tooLarge(envelope.payload ?? 0..<0, for: method) {
        release(method)
        core.observer.refused(method, error.code)
        return refuse(id, error, envelope, bytes)
      }
      begin(method, envelope, header, bytes)
    case .unknownService:
      core.observer.unknownMethod()
      let service = printable(bytes, envelope.service)
      refuse(id, .unknownService(service), envelope, bytes)
    case .unknownMethod:
      core.observer.unknownMethod()
      let service = printable(bytes, envelope.service)
      let method = printable(bytes, envelope.method)
      refuse(id, .unknownMethod(method, of: service), envelope, bytes)
    }
  }

  /// Why a payload is not taken, as it came; nil if it is.
  func tooLarge(_ payload: Range<Int>, for method: BoundMethod) -> RPCError? {
    guard payload.count > method.requestByteCountMax else { return nil }
    core.observer.limitReached(.frameBytes)
    return .requestTooLarge(payload.count, max: method.requestByteCountMax)
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
    _ method: BoundMethod,
    _ requestByteCount: Int
  ) -> RefusalFrame? {
    switch machine.admission(id) {
    case .accept: break
    case .refuseDraining: return core.refusals.draining
    case .refuseTooManyStreams:
      core.observer.limitReached(.streamsPerConnection)
      core.shed(method, .callsPerConnection)
      return core.refusals.tooManyStreams
    }
    guard hasRoomForAnswers(beside: output.byteCount) else {
      core.observer.limitReached(.outputRoom, source: source)
      return core.refusals.answersUnread
    }
    // A turn may take longer than the caller waits, so the time of its beginning is not enough.
    guard envelope.timeoutNanoseconds >= 0,
      envelope.timeoutNanoseconds == 0 || deadline(envelope) > loop.preciseNow
    else {
      return core.refusals.expired
    }
    guard
      envelope.metadataCount <= limits.metadataCountMax,
      envelope.metadataByteCount <= limits.metadataByteCountMax
    else {
      core.observer.limitReached(.metadata)
      return core.refusals.tooMuchMetadata
    }
    return admit(method, requestByteCount: requestByteCount)
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
    lastCall = now
    let facts = CallFacts(
      id: CallID(rawValue: id.rawValue),
      metadata: metadata,
      requestByteCount: header.payloadByteCount,
      deadline: deadline(envelope),
      received: now
    )
    let call = makeCall(of: method, over: self, facts)
    call.requestIsCompressed = header.flags.contains(.deflated)
    machine.open(
      id,
      call: call,
      isUnaryRequest: method.isUnaryRequest,
      isInboundOpen: !method.isUnaryRequest && header.flags.contains(.remoteOpen)
    )
    // Without a payload a unary request is an empty message, and a stream has no message yet. Stock
    // Go sends the payload of a server-streaming request even when it is empty.
    let hasPayload = envelope.payload != nil
    if hasPayload { core.observer.receivedMessage(call) }
    guard call.begin() else { return }
    let error = resources.codec.withReadable(
      bytes,
      envelope.payload ?? 0..<0,
      header,
      limit: method.requestByteCountMax
    ) { payload, inflation in
      if let inflation { call.inflation = inflation }
      return method.start(payload, hasPayload, call)
    }
    if let error { return call.reject(error) }
    if !method.isUnaryRequest, !header.flags.contains(.remoteOpen) {
      call.inbound?.finish(nil)
    }
    keep(consume call)
  }

  private func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    let end = min(range.upperBound, range.lowerBound + 256)
    // What is not text cannot be repeated to the caller.
    return (try? String(bytes, range.lowerBound..<end)) ?? "?"
  }

  // MARK: - Ending

  /// Ends an open call from this side, or answers one that is not open: a violation by the client.
  func fail(_ id: StreamID, _ error: RPCError) {
    guard let call = machine.streams[id]?.call else { return answer(id, error) }
    call.fail(error)
  }

  /// Ends every call that answers a stream, because the server goes.
  func endResponseStreams() {
    for call in machine.openCalls { call.endResponseStream() }
  }
}

extension RPCError {
  /// The same error small enough for a frame.
  package func bounded(_ limits: Limits) -> RPCError {
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
