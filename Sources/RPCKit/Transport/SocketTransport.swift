/// A TCP or Unix-domain stream socket on an epoll loop.
final class SocketTransport: Transport, ReadinessHandler, TurnEndTarget {
  private enum State {
    case idle
    case connecting
    case open
    case closed
  }

  /// The first step of `start`.
  enum Origin {
    case accepted
    case connecting(to: SocketAddress)
    case failed(SyscallError)
  }

  private let epollLoop: EpollEventLoop
  private var descriptor: FileDescriptor?
  /// The number of `descriptor`, which each read and write needs.
  private var descriptorNumber: Int32?
  private var name: UInt64 = 0
  private var state = State.idle
  private var interest: DescriptorReadiness = []
  private var receiver: (any TransportReceiver)?
  private let origin: Origin
  private let isInternet: Bool
  /// Anyone who connects is one, until the server says otherwise; whom this process connects to is not.
  private var isNewcomer: Bool
  private var newcomerOutput = NewcomerOutput()
  private var isReading = true
  private var sawEnd = false
  /// The events that the receiver gets at the end of the turn, because it is busy calling us now.
  private var owesConnected = false
  private var owesClosed = false
  private var closingError: TransportError?
  let peer: Peer

  var loop: any EventLoop { epollLoop }

  init(
    _ descriptor: consuming FileDescriptor?,
    origin: Origin,
    peer: Peer,
    isInternet: Bool,
    on loop: EpollEventLoop
  ) {
    self.isInternet = isInternet
    self.descriptor = consume descriptor
    self.origin = origin
    isNewcomer = if case .accepted = origin { true } else { false }
    self.peer = peer
    epollLoop = loop
    switch self.descriptor {
    case .some(let descriptor): descriptorNumber = descriptor.number
    case .none: break
    }
  }

  func start(_ receiver: any TransportReceiver) {
    precondition(state == .idle, "a transport starts once")
    self.receiver = receiver
    switch origin {
    case .failed(let error):
      failLater(TransportError(.connectFailed, error.description))
    case .accepted:
      state = .open
      register([.readable])
      notifyConnectedLater()
    case .connecting(let address):
      startConnecting(to: address)
    }
  }

  func handOver(to receiver: any TransportReceiver) {
    precondition(self.receiver != nil, "only a stream in use is handed over")
    self.receiver = receiver
  }

  func write(from output: inout ByteBuffer) {
    guard state == .open else { return }
    while !output.isEmpty {
      guard !isNewcomer || newcomerOutput.hasRoom(in: epollLoop.now) else {
        // It is writable still, and has its turn as if it had just become so.
        return update(interest.union(.writable))
      }
      switch unsafe output.withUnsafeBytes({ unsafe send($0) }) {
      case .bytes(let count):
        if isNewcomer { newcomerOutput.add(count) }
        output.consume(count)
      case .wouldBlock:
        update(interest.union(.writable))
        return
      case .failed(let errno):
        failLater(TransportError(.connectionLost, SyscallError("send", errno).description))
        return
      }
    }
  }

  func setReading(_ isReading: Bool) {
    guard self.isReading != isReading else { return }
    self.isReading = isReading
    guard state == .open, !sawEnd else { return }
    update(isReading ? interest.union(.readable) : interest.subtracting(.readable))
  }

  func noteKnown() {
    guard isNewcomer else { return }
    isNewcomer = false
    if name != 0, state != .closed { epollLoop.noteKnown(name) }
  }

  /// Bytes that a Unix socket took are with the other end, which reads them even after we have closed.
  var unacknowledgedByteCount: Int {
    switch descriptor {
    case .some(let descriptor) where isInternet: Syscall.unacknowledgedByteCount(descriptor)
    default: 0
    }
  }

  func closeOutput() {
    guard state == .open else { return }
    if let number = descriptorNumber { Syscall.shutdownWriting(number) }
  }

  func close() {
    guard state != .closed else { return }
    finish()
    notifyClosedLater(nil)
  }

  // MARK: - DescriptorReadiness

  func becameReady(_ readiness: DescriptorReadiness) {
    switch state {
    case .connecting:
      finishConnecting()
    case .open:
      if readiness.contains(.writable) {
        update(interest.subtracting(.writable))
        receiver?.transportBecameWritable()
      }
      if !readiness.isDisjoint(with: [.readable, .hangUp]) { readAvailable(readiness) }
    case .idle, .closed:
      break
    }
  }

  private func readAvailable(_ readiness: DescriptorReadiness) {
    guard isReading || readiness.contains(.hangUp) else { return }
    guard !sawEnd else { return }
    // Once a turn, so that one busy connection does not starve the others; what is left is ready in
    // the next turn still.
    readOnce()
  }

  private func readOnce() {
    guard let number = descriptorNumber else { return }
    var transfer = Syscall.Transfer.wouldBlock
    unsafe epollLoop.withReadBuffer { buffer in
      transfer = unsafe Syscall.read(number, into: buffer)
      guard case .bytes(let count) = transfer else { return 0 }
      return count
    } _: { [self] bytes in
      if bytes.count > 0 { receiver?.transportReceived(bytes) }
    }
    switch transfer {
    case .bytes(0):
      sawEnd = true
      update(interest.subtracting(.readable))
      receiver?.transportReceivedEnd()
    case .bytes, .wouldBlock:
      break
    case .failed(let errno):
      fail(TransportError(.connectionLost, SyscallError("read", errno).description))
    }
  }

  // MARK: - Connecting

  private func startConnecting(to address: SocketAddress) {
    do {
      let isConnected = try connectDescriptor(to: address)
      if isConnected {
        state = .open
        register([.readable])
        notifyConnectedLater()
      } else {
        state = .connecting
        register([.writable])
      }
    } catch {
      failLater(TransportError(.connectFailed, "\(address): \(error)"))
    }
  }

  private func connectDescriptor(to address: SocketAddress) throws(SyscallError) -> Bool {
    switch descriptor {
    case .some(let descriptor): return try Syscall.connect(descriptor, address)
    case .none: preconditionFailure("a transport without a descriptor has failed before")
    }
  }

  private func finishConnecting() {
    let errno = pendingError()
    guard errno == 0 else {
      fail(TransportError(.connectFailed, SyscallError("connect", errno).description))
      return
    }
    state = .open
    update([.readable])
    receiver?.transportConnected()
  }

  private func notifyConnectedLater() {
    owesConnected = true
    epollLoop.atEndOfTurn(self)
  }

  // MARK: - Descriptor

  private func pendingError() -> Int32 {
    switch descriptor {
    case .some(let descriptor): Syscall.pendingError(descriptor)
    case .none: 0
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) -> Syscall.Transfer {
    guard let number = descriptorNumber else { return .wouldBlock }
    return unsafe Syscall.send(number, bytes)
  }

  private func register(_ interest: DescriptorReadiness) {
    self.interest = interest
    do {
      switch descriptor {
      case .some(let descriptor):
        name = try epollLoop.register(
          descriptor,
          interest,
          isNewcomer: isNewcomer,
          handler: self
        )
      case .none: break
      }
    } catch {
      failLater(TransportError(.connectFailed, error.description))
    }
  }

  private func update(_ interest: DescriptorReadiness) {
    guard interest != self.interest, name != 0 else { return }
    self.interest = interest
    do {
      switch descriptor {
      case .some(let descriptor):
        try epollLoop.modify(descriptor, interest, name: name)
      case .none: break
      }
    } catch {
      failLater(TransportError(.connectionLost, error.description))
    }
  }

  // MARK: - Closing

  private func finish() {
    state = .closed
    switch descriptor {
    case .some(let descriptor):
      if name != 0 { epollLoop.unregister(descriptor, name: name) }
    case .none: break
    }
    descriptor = nil
    descriptorNumber = nil
  }

  /// Reports a failure at once; from readiness events.
  private func fail(_ error: TransportError) {
    guard state != .closed else { return }
    finish()
    let receiver = receiver
    self.receiver = nil
    receiver?.transportClosed(error)
  }

  /// Reports a failure from the loop, because the caller is in the middle of something.
  private func failLater(_ error: TransportError) {
    guard state != .closed else { return }
    finish()
    notifyClosedLater(error)
  }

  /// Lets go of the receiver, which holds the transport.
  ///
  /// It is not notified, because what it would do then needs the loop.
  func loopStopped() { receiver = nil }

  private func notifyClosedLater(_ error: TransportError?) {
    owesClosed = true
    closingError = error
    epollLoop.atEndOfTurn(self)
  }

  func turnEnded() {
    if owesConnected {
      owesConnected = false
      if state == .open { receiver?.transportConnected() }
    }
    if owesClosed {
      owesClosed = false
      let receiver = receiver
      self.receiver = nil
      receiver?.transportClosed(closingError)
    }
  }
}
