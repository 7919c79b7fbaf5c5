/// The limits whose reaching is counted, by the name of their label.
package enum LimitName: String, CaseIterable {
  case connections
  case connectionsPerSource = "connections_per_source"
  case descriptors
  case firstFrameTime = "first_frame_time"
  case idleTime = "idle_time"
  case frameBytes = "frame_bytes"
  case skippedFrameBytes = "skipped_frame_bytes"
  case frameTime = "frame_time"
  case requestTime = "request_time"
  case assemblyBytes = "assembly_bytes"
  case sessionBytes = "session_bytes"
  case handshakes
  case handshakesPerSource = "handshakes_per_source"
  case metadata
  case fieldBytes = "field_bytes"
  case streamsPerConnection = "streams_per_connection"
  case runningHandlers = "running_handlers"
  case streamingCallsPerConnection = "streaming_calls_per_connection"
  case streamingCallsPerCaller = "streaming_calls_per_caller"
  case streamingCalls = "streaming_calls"
  case outputRoom = "output_room"
  case outputBytes = "output_bytes"
  case outputTotalBytes = "output_total_bytes"
  case outputStallTime = "output_stall_time"
  case unconsumedBytes = "unconsumed_bytes"
  case streamStallTime = "stream_stall_time"
  case keepaliveTime = "keepalive_time"
  case closeTime = "close_time"
  case http2EmptyFrames = "http2_empty_frames"
  case http2Abandoned = "http2_abandoned"
  case http2ProvokedResets = "http2_provoked_resets"
}

/// The reports of a server's connections, turned into metrics that were resolved beforehand.
///
/// A class with one property for each metric of the hot path: a structure of metrics would be
/// copied, reference by reference, on every use.
package final class ServerInstruments: Sendable {
  package let metrics: RPCMetrics
  private let limits: [Counter]
  private let refusals: RefusalMonitor
  private let bytesReceived: Counter
  private let framesReceived: Counter
  private let bytesSent: Counter
  private let runningHandlers: Gauge
  private let waitingHandlers: Gauge
  private let cancelled: Counter
  /// Indexed by the raw value of the priority.
  private let overloadRefused: [Counter]
  /// Indexed by the place of the reason in `allCases`.
  private let shed: [Counter]

  init(_ metrics: RPCMetrics, _ refusals: RefusalMonitor) {
    self.metrics = metrics
    self.refusals = refusals
    limits = LimitName.allCases.map { metrics.limitReached($0.rawValue) }
    bytesReceived = metrics.serverConnections.bytesReceived
    framesReceived = metrics.serverConnections.framesReceived
    bytesSent = metrics.serverConnections.bytesSent
    runningHandlers = metrics.server.runningHandlers
    waitingHandlers = metrics.server.waitingHandlers
    cancelled = metrics.server.cancelled
    overloadRefused = [.low, .normal, .high].map { metrics.server.overloadRefused($0) }
    shed = ShedReason.allCases.map { metrics.server.shed($0) }
  }

  // MARK: - Connections

  package func connectionOpened() {
    metrics.serverConnections.opened.increment()
    metrics.serverConnections.open.add(1)
  }

  package func connectionClosed(_ reason: ConnectionCloseReason) {
    metrics.serverConnections.open.add(-1)
    metrics.serverConnections.closed(reason.rawValue).increment()
  }

  package func connectionRefused(_ limit: LimitName, source: String? = nil) {
    limitReached(limit, source: source)
    metrics.serverConnections.refused(limit.rawValue).increment()
  }

  package func handshakeEnded(succeeded: Bool) {
    let connections = metrics.serverConnections
    (succeeded ? connections.tlsHandshakesSucceeded : connections.tlsHandshakesFailed).increment()
  }

  package func received(byteCount: Int) { bytesReceived.add(byteCount) }

  package func received(frameCount: Int) {
    if frameCount > 0 { framesReceived.add(frameCount) }
  }

  package func sent(byteCount: Int) {
    if byteCount > 0 { bytesSent.add(byteCount) }
  }

  package func protocolError(_ violation: ProtocolViolation) {
    metrics.serverConnections.protocolError(violation.rawValue).increment()
  }

  /// Counts a limit that was reached, and says so in the log now and then.
  ///
  /// `source` is who reached it, if somebody can be named.
  package func limitReached(_ limit: LimitName, source: String? = nil) {
    for (index, name) in LimitName.allCases.enumerated() where name == limit {
      limits[index].increment()
      refusals.reached(limit, at: index, source: source)
    }
  }

  package func writerStalled() { metrics.serverConnections.streamCreditStalls.increment() }

  // MARK: - Calls

  package func unknownMethod() { metrics.server.unknownMethod.handled(.unimplemented).increment() }

  package func refused(_ method: BoundMethod, _ code: StatusCode) {
    method.metrics.handled(code).increment()
  }

  package func overloaded(_ priority: MethodDescriptor.Priority) {
    overloadRefused[Int(priority.rawValue)].increment()
  }

  package func shed(_ reason: ShedReason) {
    shed[reason.index].increment()
    switch reason {
    case .streamingCallsPerConnection: limitReached(.streamingCallsPerConnection)
    case .streamingCallsPerCaller: limitReached(.streamingCallsPerCaller)
    case .streamingCalls: limitReached(.streamingCalls)
    // Counted where they are decided.
    case .overloaded, .runningHandlers, .callsPerConnection: break
    }
  }

  package func waitingHandlers(_ change: Int) { waitingHandlers.add(change) }

  package func started(_ call: CallContext) {
    call.boundMethod.metrics.callStarted()
    runningHandlers.add(1)
  }

  package func ended(_ call: CallContext, _ code: StatusCode) {
    let now = call.connection.loop.preciseNow
    call.ended = now
    call.endCode = code
    call.boundMethod.metrics.callEnded(code, nanoseconds: call.received.nanoseconds(to: now))
    if code == .cancelled { cancelled.increment() }
  }

  package func handlerReturned() { runningHandlers.add(-1) }

  package func expiredBeforeStart() { metrics.server.expiredBeforeStart.increment() }

  package func receivedMessage(_ call: CallContext) {
    call.boundMethod.metrics.messagesReceived?.increment()
  }

  package func streamFailedStalled() { metrics.serverConnections.streamsStalledFailed.increment() }

  package func sentMessage(_ call: CallContext) {
    call.boundMethod.metrics.messagesSent?.increment()
  }
}
