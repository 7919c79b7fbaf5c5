import Synchronization

/// Arriving frames.
extension ClientConnection {
  func receive(_ header: FrameHeader, _ bytes: Span<UInt8>, _ payload: Range<Int>) {
    if machine.settleDialect(by: header) == .resumeWriters { resumeAllStreams() }
    var header = header
    // From a stock server the flag means nothing.
    if !mayDeflate { header.flags.remove(.deflated) }
    switch machine.receive(header) {
    case .response:
      receiveResponse(header, bytes, payload)
    case .message(let isLast):
      receiveMessage(header, bytes, payload, isLast: isLast)
    case .endOfStream:
      end(header.streamID) { call in call.receiveEnd() }
    case .fail(let code, let message):
      failOpen(header.streamID, RPCError(code, message), sendsCancel: true)
    case .hello, .answerPing, .goAway, .credit:
      receiveControl(header, bytes, payload)
    case .ignore:
      break
    }
  }

  private func receiveResponse(
    _ header: FrameHeader,
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>
  ) {
    wasUseful = true
    guard let record = machine.end(header.streamID) else { return }
    finish(record)
    do {
      let envelope = try ResponseEnvelope(bytes, in: payload)
      if header.flags.contains(.deflated), let deflated = envelope.payload {
        receiveDeflated(record, envelope, header, bytes, payload, deflated)
      } else {
        deliver(record, envelope, bytes, payload)
      }
    } catch {
      fail(record, .undecodable("response", error))
    }
    ended()
  }

  private func deliver(
    _ record: CallRecord,
    _ envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) {
    switch record.target {
    case .raw(let token):
      let answer = envelope.code == .ok ? envelope.payload : envelope.message
      rawDelegate?.rawCallEnded(
        token,
        envelope.code,
        bytes.extracting(answer ?? range.lowerBound..<range.lowerBound),
        isNotProcessed: envelope.isNotProcessed
      )
    case .call(let call):
      call.phase = .ended
      call.receiveResponse(envelope, bytes, in: range, limits: configuration.limits)
    }
  }

  /// Delivers a response as if its message had not been deflated: the message is put behind the
  /// frame's bytes, where the envelope's other places stay what they were.
  private func receiveDeflated(
    _ record: CallRecord,
    _ envelope: ResponseEnvelope,
    _ header: FrameHeader,
    _ bytes: Span<UInt8>,
    _ range: Range<Int>,
    _ deflated: Range<Int>
  ) {
    var plain = ByteBuffer()
    plain.append(bytes.extracting(0..<range.upperBound))
    let error = codec.withInflated(
      bytes,
      deflated,
      header,
      limit: configuration.limits.frameByteCountMax
    ) { message in
      plain.append(message)
      return nil
    }
    if let error { return fail(record, error) }
    var envelope = envelope
    envelope.payload = range.upperBound..<plain.byteCount
    envelope.isPayloadCompressed = true
    plain.withBytes { deliver(record, envelope, $0, range) }
  }

  private func receiveMessage(
    _ header: FrameHeader,
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>,
    isLast: Bool
  ) {
    wasUseful = true
    guard let call = openCall(header.streamID) else { return }
    let limits = configuration.limits
    var byteCount = payload.count
    let error = codec.withInflated(
      bytes,
      payload,
      header,
      limit: limits.frameByteCountMax
    ) { message in
      byteCount = message.count
      let isCompressed = header.flags.contains(.deflated)
      return call.receiveMessage(message, isCompressed: isCompressed, limits: limits)
    }
    machine.chargeInflated(header.streamID, byteCount: byteCount - payload.count)
    if let error {
      failOpen(header.streamID, error, sendsCancel: !isLast)
      return
    }
    if isLast { end(header.streamID) { call in call.receiveEnd() } }
  }

  private func openCall(_ id: StreamID) -> ClientCall? {
    var found: ClientCall?
    machine.updateCall(id) { record in
      if case .call(let call) = record.target { found = call }
    }
    return found
  }

  private func end(_ id: StreamID, _ body: (ClientCall) -> Void) {
    guard let record = machine.end(id) else { return }
    finish(record)
    if case .call(let call) = record.target {
      call.phase = .ended
      body(call)
    }
    ended()
  }

  /// Ends an open call with an error of this side.
  func failOpen(_ id: StreamID, _ error: RPCError, sendsCancel: Bool) {
    guard let record = machine.end(id) else { return }
    if sendsCancel, !isClosed {
      ControlFrame.appendCancel(to: &output, streamID: id)
      scheduleFlush()
    }
    finish(record)
    fail(record, error)
    ended()
  }

  func receiveOversize(_ header: FrameHeader) {
    if machine.settleDialect(by: header) == .resumeWriters { resumeAllStreams() }
    guard case .fail(let sendsCancel) = machine.receiveOversize(header) else { return }
    failOpen(
      header.streamID,
      RPCError(.resourceExhausted, "the response of \(header.payloadByteCount) bytes is too large"),
      sendsCancel: sendsCancel
    )
  }

  // MARK: - Our extensions

  private func receiveControl(_ header: FrameHeader, _ bytes: Span<UInt8>, _ range: Range<Int>) {
    do {
      switch header.type {
      case .hello:
        machine.agree(try ConnectionSettings(bytes, in: range))
        capacity.store(machine.streamCountMax, ordering: .relaxed)
        resumeAllStreams()
      case .ping:
        answerPing(bytes, range)
      case .goAway:
        receiveGoAway(try ControlFrame.lastAccepted(bytes, in: range))
      case .credit:
        let byteCount = try ControlFrame.credit(bytes, in: range)
        if machine.addCredit(header.streamID, byteCount: byteCount) {
          openCall(header.streamID)?.becameWritable()
        }
      default:
        preconditionFailure("the machine names another type a control frame")
      }
    } catch {
      close(TransportError(.connectionLost, "the server sent a malformed control frame"))
    }
  }

  /// Longest PING that is echoed; ours are nine bytes.
  private static var pingByteCountMax: Int { 64 }

  private func answerPing(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard range.count <= Self.pingByteCountMax, hasRoomForWriter else { return }
    FrameHeader(
      payloadByteCount: range.count,
      streamID: .connection,
      type: .ping,
      flags: .acknowledgement
    ).append(to: &output)
    output.append(bytes.extracting(range))
    scheduleFlush()
  }

  private func receiveGoAway(_ lastAccepted: StreamID) {
    let unprocessed = machine.goAway(lastAccepted: lastAccepted)
    owner?.connectionIsDraining(self)
    for record in unprocessed {
      finish(record)
      fail(record, .refusedByDrainingServer)
    }
    closeIfDrained()
  }
}

extension RPCError {
  fileprivate static var refusedByDrainingServer: RPCError {
    .notSent("the server is shutting down")
  }
}
