/// Drives one connection of a server: bytes from the transport to the machine, its actions to
/// handlers, answers back to the transport.
///
/// Confined to its loop. `@unchecked Sendable`: handlers hold a reference through their
/// `CallContext`, and every entry that they can reach from elsewhere goes through the loop first.
final class ServerConnection: CallHost, ServedConnection, TurnEndTarget, @unchecked Sendable {
  private let confinedMachine: Confined<ServerConnectionMachine<CallContext>>
  private let confinedDecoder: Confined<FrameDecoder>
  private let confinedOutput = Confined(ByteBuffer())
  private let confinedMetadata = Confined(LatestMetadata())
  private let confinedTimers = Confined(FrameTimers())

  private var flushing = Flushing.notDue
  private(set) var reading = Reading.on
  /// The cost of stream messages that were received and not consumed, in bytes.
  var unconsumedByteCount = 0
  /// Writers that wait for the output to shrink.
  var callsWaitingForRoom: [CallContext] = []

  /// Frames that began, to tell one incomplete frame from the next.
  private(set) var frameCount = 0
  private var watchedFrameCount = 0
  /// When the first byte of the frame that is incomplete, or was until now, arrived; nil for a frame
  /// that arrived whole.
  private(set) var frameStart: MonotonicInstant?

  /// When the output is written.
  private enum Flushing {
    /// Nothing was added since it was written, or it waits for the transport. Next: `endOfTurn`.
    case notDue
    /// With everything else that this turn adds. Next: `notDue`.
    case endOfTurn
  }

  /// Whether the transport delivers what comes.
  enum Reading {
    /// Next: `paused`.
    case on
    /// There is no room for what would come. Next: `on`.
    case paused
  }

  var machine: ServerConnectionMachine<CallContext> {
    _read { yield confinedMachine.value }
    _modify { yield &confinedMachine.value }
  }

  var decoder: FrameDecoder {
    _read { yield confinedDecoder.value }
    _modify { yield &confinedDecoder.value }
  }

  var output: ByteBuffer {
    _read { yield confinedOutput.value }
    _modify { yield &confinedOutput.value }
  }

  var latestMetadata: LatestMetadata {
    _read { yield confinedMetadata.value }
    _modify { yield &confinedMetadata.value }
  }

  var frameTimers: FrameTimers {
    _read { yield confinedTimers.value }
    _modify { yield &confinedTimers.value }
  }

  override init(_ transport: any Transport, core: ServerCore, resources: LoopResources) {
    let limits = core.configuration.limits
    confinedMachine = Confined(ServerConnectionMachine(limits: limits))
    confinedDecoder = Confined(
      FrameDecoder(
        payloadByteCountMax: limits.frameByteCountMax,
        skippedByteCountMax: limits.skippedFrameByteCountMax
      )
    )
    super.init(transport, core: core, resources: resources)
  }

  /// Begins to serve.
  ///
  /// Loop only.
  func start() {
    beginHandshake()
    transport?.start(self)
  }

  // MARK: - Transport

  func transportConnected() {
    noteConnected()
    scheduleKeepalive()
    startTimer(&frameTimers.firstFrame, TimerToken.firstFrame, limits.firstFrameTimeout)
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    lastRead = loop.now
    core.observer.received(byteCount: bytes.count)
    guard machine.takesFrames else { return discard(bytes) }
    let framesBefore = frameCount
    receive(bytes)
    core.observer.received(frameCount: frameCount &- framesBefore)
    if frameTimers.firstFrame != .none, frameCount > 0 { stopTimer(&frameTimers.firstFrame) }
    countIncompleteFrame()
  }

  private func receive(_ bytes: Span<UInt8>) {
    var offset = 0
    while machine.takesFrames {
      switch decoder.next(bytes, &offset) {
      case .needMoreBytes:
        watchIncompleteFrame()
        updateReading()
        return
      case .frame(let header, let payload):
        receive(header, bytes, payload)
      case .gatheredFrame(let header):
        let gathered = decoder.takeGathered()
        gathered.withBytes { receive(header, $0, FrameHeader.byteCount..<$0.count) }
        frameStart = nil
      case .oversize(let header):
        frameCount &+= 1
        core.observer.limitReached(.frameBytes)
        act(on: machine.receiveOversize(header), header, Span(), 0..<0)
        reportViolation()
      case .unskippable(let header):
        core.observer.limitReached(.skippedFrameBytes)
        core.observer.protocolError(.unskippableFrame)
        answer(
          header.streamID,
          RPCError(
            .resourceExhausted,
            .requestTooLarge,
            "a frame of \(header.payloadByteCount) bytes is larger than the server reads; send less at a time"
          )
        )
        end(.violation)
      }
    }
  }

  func transportReceivedEnd() {
    // ttrpc has no half-close: the client is gone, and nobody will read the answers.
    close(.peer)
  }

  func transportBecameWritable() {
    flush()
  }

  func transportClosed(_ error: TransportError?) {
    noteHandshakeFailure(error)
    lose()
  }

  // MARK: - Frames

  /// A frame that has begun must end in time, however slowly its bytes come (slow loris).
  private func watchIncompleteFrame() {
    guard decoder.isInsideFrame else {
      frameStart = nil
      return stopTimer(&frameTimers.frame)
    }
    if frameCount != watchedFrameCount || frameStart == nil {
      stopTimer(&frameTimers.frame)
      frameStart = loop.now
    }
    watchedFrameCount = frameCount
    // While this side does not read, the peer is not the one who is late.
    guard reading == .on else { return }
    startTimer(&frameTimers.frame, TimerToken.frame, limits.frameTimeout)
  }

  private func receive(_ header: FrameHeader, _ bytes: Span<UInt8>, _ payload: Range<Int>) {
    frameCount &+= 1
    defer { reportViolation() }
    let action = machine.receive(header)
    var header = header
    // To a stock peer the flag means nothing, so it may be set by accident.
    if machine.dialect == .stock { header.flags.remove(.deflated) }
    act(on: action, header, bytes, payload)
  }

  private func act(
    on action: ServerConnectionMachine<CallContext>.OnFrame,
    _ header: FrameHeader,
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>
  ) {
    switch action {
    case .openCall:
      openCall(header, bytes, payload)
    case .deliver(let hasMessage, let isLast):
      deliver(header, bytes, payload, hasMessage: hasMessage, isLast: isLast)
    case .fail(let code, let message):
      let reason: LibraryReason =
        code == .resourceExhausted ? .requestTooLarge : .protocolViolation
      fail(header.streamID, RPCError(code, reason, message))
    case .cancelCall:
      if let call = machine.end(header.streamID) { call.cancel(RPCError(.cancelled, "cancelled")) }
      // It may have been the last one that a drain waited for.
      if machine.isDrained { scheduleFlush() }
    case .hello:
      receiveHello(bytes, payload)
    case .answerPing:
      // Answers to pings wait in the output like everything else, which pauses reading when the
      // peer floods and does not read.
      FrameHeader(
        payloadByteCount: payload.count,
        streamID: .connection,
        type: .ping,
        flags: .acknowledgement
      ).append(to: &output)
      output.append(bytes.extracting(payload))
      scheduleFlush()
    case .credit:
      receiveCredit(header, bytes, payload)
    case .pong, .ignore:
      break
    case .close:
      end(.violation)
    }
  }

  private func receiveHello(_ bytes: Span<UInt8>, _ payload: Range<Int>) {
    do {
      machine.agree(try ConnectionSettings(bytes, in: payload))
    } catch {
      return violate(.malformedControl)
    }
    core.settings.appendFrame(to: &output)
    scheduleFlush()
    // A client that connects while the server drains learns it at once.
    if case .draining(let lastAccepted) = machine.phase {
      ControlFrame.appendGoAway(to: &output, lastAccepted: lastAccepted?.rawValue ?? 0)
    }
  }

  private func receiveCredit(_ header: FrameHeader, _ bytes: Span<UInt8>, _ payload: Range<Int>) {
    do {
      let byteCount = try ControlFrame.credit(bytes, in: payload)
      if let call = machine.addCredit(header.streamID, byteCount: byteCount) { call.wakeWriter() }
    } catch {
      violate(.malformedControl)
    }
  }

  private func deliver(
    _ header: FrameHeader,
    _ bytes: Span<UInt8>,
    _ payload: Range<Int>,
    hasMessage: Bool,
    isLast: Bool
  ) {
    guard let call = machine.streams[header.streamID]?.call, let inbound = call.inbound else {
      return
    }
    if hasMessage {
      if let error = tooLarge(payload, for: call.boundMethod) {
        return fail(header.streamID, error)
      }
      var cost = 0
      let error = resources.codec.withReadable(
        bytes,
        payload,
        header,
        limit: call.boundMethod.requestByteCountMax
      ) { message, inflation -> RPCError? in
        // One that is inflated elsewhere costs the rest when it is: see `inflatedElsewhere`.
        cost = ServerConnectionMachine<CallContext>.cost(message.count)
        return inbound.receive(
          message,
          cost: cost,
          isCompressed: header.flags.contains(.deflated),
          inflation: inflation
        )
      }
      if let error { return fail(header.streamID, error) }
      core.observer.receivedMessage(call)
      machine.chargeInflated(
        header.streamID,
        byteCount: cost - ServerConnectionMachine<CallContext>.cost(payload.count)
      )
      unconsumedByteCount += cost
    }
    if isLast { inbound.finish(nil) }
    updateReading()
  }

  /// Counts a frame whose content is wrong; closes the connection when it was one too many.
  func violate(_ kind: ProtocolViolation) {
    if case .close = machine.countViolation(kind) { end(.violation) }
  }

  private func reportViolation() {
    if let violation = machine.takeViolation() { core.observer.protocolError(violation) }
  }

  // MARK: - Output

  /// Appends an error answer for a stream, whether it is open or not.
  func answer(_ id: StreamID, _ error: RPCError) {
    ResponseEnvelope.appendError(to: &output, streamID: id, error: error.bounded(limits))
    scheduleFlush()
  }

  /// Writes at the end of the turn, together with everything else the turn produces.
  func scheduleFlush() {
    guard flushing == .notDue else { return }
    flushing = .endOfTurn
    loop.atEndOfTurn(self)
  }

  func turnEnded() {
    flushing = .notDue
    flush()
  }

  func flush() {
    guard let transport else { return }
    let waiting = output.byteCount
    transport.write(from: &output)
    let written = waiting - output.byteCount
    core.observer.sent(byteCount: written)
    if output.isEmpty {
      // An idle connection holds no buffer.
      resources.takeMemory(of: &output)
      stopTimer(&timers.stall)
    } else if output.byteCount > limits.outputByteCountMax {
      core.observer.limitReached(.outputBytes)
      return close(.limit)
    } else {
      watchOutput(isWaiting: true, hasProgress: written > 0)
    }
    let counts = counted
    // The memory and not the bytes: of an answer that was taken up to its last byte all memory is held.
    output.shrink()
    let held = output.isEmpty ? 0 : output.allocatedByteCount
    if held != counts[.output] { count(.output, held) }
    if output.byteCount < limits.outputWriterByteCountMax { wakeWritersForRoom() }
    if machine.finishDrain() { stopUse(.drained) }
    updateReading()
    if output.isEmpty, machine.flushed() { linger() }
  }

  private func wakeWritersForRoom() {
    guard !callsWaitingForRoom.isEmpty else { return }
    let calls = callsWaitingForRoom
    callsWaitingForRoom = []
    for call in calls { call.wakeWriter() }
  }

  // MARK: - Back-pressure

  /// Windows hold each stream of an extended peer back by itself, so the bound on all of them together
  /// is wider.
  private var unconsumedByteCountMax: Int {
    machine.dialect == .stock
      ? limits.unconsumedByteCountMax : limits.unconsumedExtendedByteCountMax
  }

  /// Whether the output is no reason to pause.
  ///
  /// A stock client may write under a lock that its reader needs (containerd's Go client 1.2.3 does):
  /// were it not read from, it would never read. Its calls are refused instead.
  private var readsBesideOutput: Bool {
    machine.dialect == .stock || output.byteCount <= limits.outputPauseByteCount
  }

  /// Reads only while there is room for what streams hold and, from an extended peer, for answers.
  func updateReading() {
    let wanted: Reading =
      machine.reads && (!machine.takesFrames || readsBesideOutput)
        && unconsumedByteCount <= unconsumedByteCountMax ? .on : .paused
    // Watched by itself, because reading may be paused already for the output.
    if unconsumedByteCount <= unconsumedByteCountMax {
      stopTimer(&frameTimers.streamStall)
    } else if frameTimers.streamStall == .none {
      core.observer.limitReached(.unconsumedBytes)
      startTimer(&frameTimers.streamStall, TimerToken.streamStall, limits.streamStallTimeout)
    }
    guard wanted != reading else { return }
    reading = wanted
    transport?.setReading(wanted == .on)
    // A frame is late only while somebody reads it.
    if wanted == .on, machine.takesFrames, decoder.isInsideFrame {
      startTimer(&frameTimers.frame, TimerToken.frame, limits.frameTimeout)
    } else {
      stopTimer(&frameTimers.frame)
    }
  }

  // MARK: - Sums over all connections

  /// Notes what an incomplete frame holds, after each chunk.
  private func countIncompleteFrame() {
    let byteCount = decoder.heldByteCount
    let counts = counted
    if byteCount != counts[.assembly] { count(.assembly, byteCount) }
  }
}
