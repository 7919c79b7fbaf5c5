import RPCKit

/// One end of a simulated connection.
///
/// Behaves like `SocketTransport`, including what it tells its receiver when.
final class SimulatedTransport: Transport, TurnEndTarget {
  /// How the stream comes to be.
  enum Origin {
    case accepted(SimulatedLink)
    case connecting(to: SocketAddress)
  }

  private enum State {
    case idle
    case connecting
    case open
    case closed
  }

  let simulatedLoop: SimulatedEventLoop
  let peer: Peer
  private let origin: Origin
  private let end: SimulatedLink.End
  private let network: SimulatedNetwork
  private var link: SimulatedLink?
  private var state = State.idle
  private var receiver: (any TransportReceiver)?
  /// Under which the network knows it from its start on.
  private var number = 0

  /// Bytes that arrived and were not read.
  private var inbox = ByteBuffer()
  private var isReading = true
  private var isReadScheduled = false
  private var hasEndArrived = false
  private var hasResetArrived = false
  private var saidEnd = false

  /// Bytes that were sent and not yet read at the other end.
  private var outstanding = 0
  private var wantsRoom = false
  private var isOutputClosed = false

  private var owesConnected = false
  private var owesClosed = false
  private var closingError: TransportError?

  var loop: any EventLoop { simulatedLoop }
  var isConnecting: Bool { state == .connecting }

  init(loop: SimulatedEventLoop, peer: Peer, origin: Origin, network: SimulatedNetwork) {
    simulatedLoop = loop
    self.peer = peer
    self.origin = origin
    self.network = network
    if case .accepted(let link) = origin {
      self.link = link
      end = .server
    } else {
      end = .client
    }
  }

  // MARK: - Transport

  func start(_ receiver: any TransportReceiver) {
    precondition(state == .idle, "a transport starts once")
    self.receiver = receiver
    number = network.started(self)
    switch origin {
    case .accepted:
      state = .open
      owesConnected = true
      simulatedLoop.atEndOfTurn(self)
      scheduleRead()
    case .connecting(let address):
      state = .connecting
      network.open(self, to: address)
    }
  }

  func handOver(to receiver: any TransportReceiver) {
    precondition(self.receiver != nil, "only a stream in use is handed over")
    self.receiver = receiver
  }

  func write(from output: inout ByteBuffer) {
    guard state == .open, !isOutputClosed, let link, !output.isEmpty else { return }
    let room = min(output.byteCount, max(0, link.windowByteCount - outstanding))
    let isPartial = room > 1 && random.chance(network.faults.partialWrite)
    let count = isPartial ? random.number(in: 1...room) : room
    if count > 0 {
      let bytes = output.withBytes { Array(copying: $0.extracting(first: count)) }
      output.consume(count)
      outstanding += count
      network.simulation.note(UInt64(count))
      network.observer?.wrote(bytes, connection: link.number, byClient: end == .client)
      link.send(bytes, to: end.other)
    }
    guard !output.isEmpty else { return }
    wantsRoom = true
    guard isPartial else { return }
    network.simulation.schedule(after: .microseconds(1), on: simulatedLoop) { [self] in
      offerRoom()
    }
  }

  func setReading(_ isReading: Bool) {
    guard self.isReading != isReading else { return }
    self.isReading = isReading
    if isReading { scheduleRead() }
  }

  var unacknowledgedByteCount: Int { link?.inFlightByteCount(to: end.other) ?? 0 }

  func closeOutput() {
    guard state == .open, !isOutputClosed else { return }
    isOutputClosed = true
    link?.sendEnd(to: end.other)
  }

  func close() {
    guard state != .closed else { return }
    finish()
    notifyClosedLater(nil)
  }

  // MARK: - Connecting

  func connected(_ link: SimulatedLink) {
    guard state == .connecting else {
      // Given up in the meantime; the other end learns of it.
      return link.close(end, hadUnreadBytes: false)
    }
    state = .open
    self.link = link
    receiver?.transportConnected()
    scheduleRead()
  }

  func connectFailed(_ reason: String) {
    guard state == .connecting else { return }
    fail(TransportError(.connectFailed, reason))
  }

  // MARK: - Arriving

  /// Something arrived from the other end.
  ///
  /// On the loop, from its own turn.
  func arrived(_ piece: SimulatedLink.Piece) {
    guard state != .closed else { return }
    switch piece {
    case .bytes(let bytes): inbox.append(bytes.span)
    case .end: hasEndArrived = true
    case .reset: hasResetArrived = true
    }
    scheduleRead()
  }

  /// The other end has read bytes of ours.
  func acknowledged(_ byteCount: Int) {
    outstanding -= byteCount
    // A sender waits until the room is worth a segment (RFC 9293, section 3.8.6.2.1); byte by byte
    // a long message would take forever.
    guard let link, outstanding <= link.windowByteCount / 2 else { return }
    offerRoom()
  }

  private func offerRoom() {
    guard state == .open, wantsRoom, let link, outstanding < link.windowByteCount else { return }
    wantsRoom = false
    receiver?.transportBecameWritable()
  }

  private func scheduleRead() {
    guard state == .open, !isReadScheduled else { return }
    guard !inbox.isEmpty || hasEndArrived || hasResetArrived else { return }
    guard isReading || hasResetArrived else { return }
    isReadScheduled = true
    simulatedLoop.becameReady { [self] in
      isReadScheduled = false
      read()
    }
  }

  /// Reads once, as much as the seed says.
  private func read() {
    // A reset is reported by epoll whether or not the reader wants to know.
    guard state == .open, isReading || hasResetArrived else { return }
    if !inbox.isEmpty {
      let takesAll = random.chance(0.75)
      let count =
        takesAll ? inbox.byteCount : random.number(in: 1...inbox.byteCount)
      let bytes = inbox.withBytes { Array(copying: $0.extracting(first: count)) }
      inbox.consume(count)
      if inbox.isEmpty { inbox.release() }
      network.simulation.note(UInt64(count))
      if let link {
        link.consumed(by: end, byteCount: count)
        network.observer?.read(
          bytes,
          connection: link.number,
          byClient: end == .client,
          hasUnwritten: wantsRoom
        )
      }
      receiver?.transportReceived(bytes.span)
    } else if hasResetArrived {
      return fail(TransportError(.connectionLost, "connection reset by peer"))
    } else if hasEndArrived, !saidEnd {
      saidEnd = true
      receiver?.transportReceivedEnd()
    }
    if !inbox.isEmpty || hasResetArrived || (hasEndArrived && !saidEnd) { scheduleRead() }
  }

  private var random: SimulationRandom {
    get { network.simulation.random }
    _modify { yield &network.simulation.random }
  }

  // MARK: - Closing

  private func finish() {
    state = .closed
    network.finished(number)
    let link = link.take()
    link?.close(end, hadUnreadBytes: !inbox.isEmpty)
    inbox.release()
  }

  private func fail(_ error: TransportError) {
    finish()
    let receiver = receiver.take()
    receiver?.transportClosed(error)
  }

  private func notifyClosedLater(_ error: TransportError?) {
    owesClosed = true
    closingError = error
    simulatedLoop.atEndOfTurn(self)
  }

  func turnEnded() {
    if owesConnected {
      owesConnected = false
      if state == .open { receiver?.transportConnected() }
    }
    if owesClosed {
      owesClosed = false
      let receiver = receiver.take()
      receiver?.transportClosed(closingError)
    }
  }
}

extension [UInt8] {
  /// Copies a span.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}
