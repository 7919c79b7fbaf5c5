/// A connection that has not shown yet which wire it speaks.
///
/// It holds the few bytes that are needed to tell, and answers nothing: anyone who only looks whether the port
/// is open is let go without a word. Confined to its loop, as `ServerConnection` is.
final class UndecidedConnection: CallHost, ServedConnection, @unchecked Sendable {
  /// Bytes after which every wire must have decided: the client preface of HTTP/2 (RFC 9113 section 3.4), the
  /// longest opening that any has.
  static let byteCountMax = 24

  private var first: [UInt8] = []
  private var timer = TimerID.none

  func start() {
    beginHandshake()
    transport?.start(self)
  }

  // MARK: - Transport

  func transportConnected() {
    guard let transport else { return }
    peer = transport.peer
    endHandshake()
    // Without a name the bytes tell, as they do without TLS: many clients do not offer any.
    if let name = peer.applicationProtocol {
      let wire = core.configuration.wires.first { $0.applicationProtocols.contains(name) }
      return decide(wire.map(Decision.wire) ?? .frames, [], Span())
    }
    timer = loop.schedule(
      at: loop.now.advanced(by: limits.firstFrameTimeout),
      target: self,
      token: 0
    )
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    guard transport != nil else { return }
    let count = min(bytes.count, Self.byteCountMax - first.count)
    for index in 0..<count { first.append(bytes[index]) }
    switch recognizedWire() {
    case .none: core.observer.received(byteCount: bytes.count)
    case .some(let wire): decide(wire, first, bytes.extracting(droppingFirst: count))
    }
  }

  func transportReceivedEnd() {
    close(.peer)
  }

  func transportBecameWritable() {}

  func transportClosed(_ error: TransportError?) {
    noteHandshakeFailure(error)
    lose()
  }

  // MARK: - Decision

  /// The wire of the connection.
  private enum Decision {
    case frames
    case wire(any ServerWire)
  }

  /// The wire by the first bytes; nil when more of them are needed.
  private func recognizedWire() -> Decision? {
    var isUndecided = false
    for wire in core.configuration.wires {
      switch wire.recognition(of: first.span) {
      case .recognized: return .wire(wire)
      case .undecided: isUndecided = true
      case .other: break
      }
    }
    return isUndecided && first.count < Self.byteCountMax ? nil : .frames
  }

  /// Hands the stream and what was received to the connection that it is for.
  private func decide(_ decision: Decision, _ received: [UInt8], _ rest: Span<UInt8>) {
    guard let transport else { return }
    stopTimer(&timer)
    let connection: any ServedConnection
    switch decision {
    case .wire(let wire):
      connection = wire.makeConnection(
        over: transport,
        received.span,
        core: core,
        resources: resources
      )
    case .frames where core.configuration.servesFrames:
      connection = ServerConnection(transport, core: core, resources: resources)
    case .frames:
      core.observer.protocolError(.unknownWire)
      return close(.violation)
    }
    self.transport = nil
    count(.sessions, 0)
    core.connectionDecided(self, as: connection)
    transport.handOver(to: connection)
    connection.transportConnected()
    if !received.isEmpty { connection.transportReceived(received.span) }
    if rest.count > 0 { connection.transportReceived(rest) }
  }

  // MARK: - Ending

  func timerFired(_ token: UInt64) {
    timer = .none
    core.observer.limitReached(.firstFrameTime, source: source)
    close(.idle)
  }

  /// Nothing was asked, so nothing is left to do.
  func drain() {
    close(.drained)
  }

  func endResponseStreams() {}

  func lost() {
    stopTimer(&timer)
  }

  // MARK: - For the good of the others

  var isIdle: Bool { transport != nil && first.isEmpty }

  var census: ConnectionCensus { ConnectionCensus() }

  func burden(_ sort: HeldSort) -> Double {
    sort == .sessions ? restingBurden(since: lastCall) : 0
  }
}
