extension CallContext {
  /// The number of a call that came in frames.
  fileprivate var streamID: StreamID { StreamID(rawValue: id.rawValue) }
}

extension ServerConnection: CallWire {
  func forget(_ call: CallContext) -> Bool { machine.end(call.streamID) != nil }

  // MARK: - Answers

  func respond(to call: CallContext, _ append: MessageAppending) throws(RPCError) {
    resources.lendMemory(to: &output)
    let start = output.byteCount
    let byteCount = resources.codec.appendResponse(
      append,
      to: &output,
      streamID: call.streamID,
      metadata: metadataToSend(call),
      deflates: deflates(for: call)
    )
    guard byteCount <= sendableByteCountMax else {
      output.truncate(to: start)
      throw tooLarge("the response", byteCount)
    }
    scheduleFlush()
  }

  func encoding(for call: CallContext) -> AnswerEncoding {
    AnswerEncoding(format: deflates(for: call) ? .zlib : nil)
  }

  func respond(to call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    let start = output.byteCount
    let byteCount = resources.codec.appendResponse(
      message,
      to: &output,
      streamID: call.streamID,
      metadata: metadataToSend(call)
    )
    guard byteCount <= sendableByteCountMax else {
      output.truncate(to: start)
      throw tooLarge("the response", byteCount)
    }
    scheduleFlush()
  }

  private func tooLarge(_ what: String, _ byteCount: Int) -> RPCError {
    core.observer.limitReached(.frameBytes)
    return RPCError(
      .resourceExhausted,
      .responseTooLarge,
      "\(what) of \(byteCount) bytes is larger than a frame may be; ask for less at a time"
    )
  }

  func endResponses(of call: CallContext) {
    let metadata = metadataToSend(call)
    if metadata.isEmpty {
      FrameHeader(
        payloadByteCount: 0,
        streamID: call.streamID,
        type: .data,
        flags: [.remoteClosed, .noData]
      ).append(to: &output)
    } else {
      ResponseEnvelope.appendSuccessPrefix(
        to: &output,
        streamID: call.streamID,
        flags: [],
        metadata: metadata,
        payloadByteCount: 0
      )
    }
    scheduleFlush()
  }

  func fail(_ call: CallContext, _ error: RPCError, _ metadata: Metadata) {
    var error = error
    if machine.dialect != .stock {
      for entry in metadata.entries { error.metadata.append(entry.key, entry.value) }
    }
    answer(call.streamID, error)
  }

  /// Stock clients do not know metadata of answers.
  private func metadataToSend(_ call: CallContext) -> Metadata {
    machine.dialect == .stock ? Metadata() : call.metadataToSend
  }

  // MARK: - Streams

  func send(for call: CallContext, _ append: MessageAppending) throws(RPCError) {
    let start = output.byteCount
    let byteCount = resources.codec.appendData(
      append,
      to: &output,
      streamID: call.streamID,
      deflates: deflates(for: call)
    )
    guard byteCount.frame <= sendableByteCountMax else {
      output.truncate(to: start)
      throw tooLarge("a response", byteCount.frame)
    }
    machine.sent(call.streamID, payloadByteCount: byteCount.message)
    scheduleFlush()
  }

  func send(for call: CallContext, _ message: EncodedMessage) throws(RPCError) {
    let start = output.byteCount
    let byteCount = resources.codec.appendData(message, to: &output, streamID: call.streamID)
    guard byteCount <= sendableByteCountMax else {
      output.truncate(to: start)
      throw tooLarge("a response", byteCount)
    }
    machine.sent(call.streamID, payloadByteCount: message.byteCount)
    scheduleFlush()
  }

  func maySend(_ call: CallContext) -> Bool {
    machine.maySend(call.streamID) && output.byteCount < limits.outputWriterByteCountMax
  }

  func writerWaits(_ call: CallContext) {
    guard output.byteCount >= limits.outputWriterByteCountMax else { return }
    // Moved out while it changes: what is only loaded and stored needs no check when it is read.
    var calls: [CallContext] = []
    swap(&calls, &callsWaitingForRoom)
    calls.append(call)
    swap(&calls, &callsWaitingForRoom)
  }

  func consumed(_ cost: Int, of call: CallContext) {
    unconsumedByteCount -= cost
    if let grant = machine.consumed(call.streamID, cost: cost) {
      ControlFrame.appendCredit(to: &output, streamID: call.streamID, byteCount: grant)
      scheduleFlush()
    }
    updateReading()
  }

  func inflatedElsewhere(_ byteCount: Int, of call: CallContext) {
    // The client has paid for the message as it was before; the handler has it, so the room is free again at once.
    machine.chargeInflated(call.streamID, byteCount: byteCount)
    if let grant = machine.consumed(call.streamID, cost: byteCount) {
      ControlFrame.appendCredit(to: &output, streamID: call.streamID, byteCount: grant)
      scheduleFlush()
    }
  }

  func dropped(_ cost: Int) {
    unconsumedByteCount -= cost
    updateReading()
  }

  /// Largest frame payload that both sides take.
  private var sendableByteCountMax: Int {
    guard case .extended(let settings) = machine.dialect else { return limits.frameByteCountMax }
    return min(limits.frameByteCountMax, settings.frameByteCountMax)
  }

  /// Whether the client said that it can inflate, and the handler or else the server asked for deflate.
  private func deflates(for call: CallContext) -> Bool {
    guard case .extended(let settings) = machine.dialect else { return false }
    guard settings.features.contains(.deflate) else { return false }
    return call.compressesResponses ?? core.configuration.compressesResponses
  }
}
