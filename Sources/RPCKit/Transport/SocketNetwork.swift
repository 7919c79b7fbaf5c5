/// The kernel's TCP and Unix-domain sockets, on epoll loops.
public struct SocketNetwork: Network {
  /// Makes the network; it has no state.
  public init() {}

  /// Binds and listens.
  ///
  /// A stale Unix socket file, one that nobody listens on, is replaced. Throws `ListenError`.
  public func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener {
    guard let loop = loop as? EpollEventLoop else {
      preconditionFailure("sockets need an epoll loop")
    }
    do {
      return try await SocketListener.make(
        at: address,
        on: loop,
        options: options,
        accepted: accepted
      )
    } catch let error as SyscallError {
      throw ListenError(address, error)
    }
  }

  /// Makes a transport that connects when started.
  public func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport {
    guard let loop = loop as? EpollEventLoop else {
      preconditionFailure("sockets need an epoll loop")
    }
    let peer = Peer(address: address.description)
    do {
      let descriptor = try Syscall.socket(address.family)
      if address.port != nil {
        try Syscall.setNoDelay(descriptor)
        try Syscall.setKeepAlive(descriptor)
      }
      return SocketTransport(
        descriptor,
        origin: .connecting(to: address),
        peer: peer,
        isInternet: address.port != nil,
        on: loop
      )
    } catch {
      return SocketTransport(nil, origin: .failed(error), peer: peer, isInternet: false, on: loop)
    }
  }

  /// Asks the system's resolver, on a thread of its own because it blocks.
  public func resolve(host: String, port: UInt16) async throws -> [SocketAddress] {
    if let address = SocketAddress(host: host, port: port) { return [address] }
    return try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try LoopThread(name: "resolver") {
          continuation.resume(with: Self.resolution(host: host, port: port))
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private static func resolution(
    host: String,
    port: UInt16
  ) -> Result<[SocketAddress], any Error> {
    do throws(ResolverError) {
      return .success(try Syscall.resolve(host: host, port: port))
    } catch {
      return .failure(TransportError(.connectFailed, error.description))
    }
  }
}

/// A socket that was accepted and waits for the loop that will own it.
private struct IncomingSocket: IncomingConnection {
  private let holder: TransferredDescriptor
  private let peer: Peer
  private let isInternet: Bool

  init(_ descriptor: consuming FileDescriptor, peer: Peer, isInternet: Bool) {
    holder = TransferredDescriptor(descriptor)
    self.peer = peer
    self.isInternet = isInternet
  }

  func open(on loop: any EventLoop) -> any Transport {
    guard let loop = loop as? EpollEventLoop else {
      preconditionFailure("sockets need an epoll loop")
    }
    return SocketTransport(
      holder.take(),
      origin: .accepted,
      peer: peer,
      isInternet: isInternet,
      on: loop
    )
  }

  static func accepted(_ number: Int32, from address: SocketAddress?) -> IncomingSocket {
    let descriptor = FileDescriptor(owning: number)
    guard let address, address.port != nil else {
      let user = Syscall.peerUser(descriptor).map { "unix:uid=\($0)" }
      return IncomingSocket(
        descriptor,
        peer: Peer(address: "unix", source: user ?? "unix"),
        isInternet: false
      )
    }
    // A connection that refuses these options still works, only slower.
    try? Syscall.setNoDelay(descriptor)
    try? Syscall.setKeepAlive(descriptor)
    return IncomingSocket(
      descriptor,
      peer: Peer(address: address.description, source: address.source),
      isInternet: true
    )
  }
}

/// A listening socket on an epoll loop.
private final class SocketListener: Listener, ReadinessHandler, TimerTarget, @unchecked Sendable {
  // @unchecked: `descriptor`, `spare`, `name` and `isPaused` are touched on the loop only, which the loop's
  // own checks enforce; the rest never changes.
  private static let backlog: Int32 = 1024
  /// Few, so that those who are connected wait for a flood of newcomers as little as possible.
  private static let acceptsPerTurnMax = 16
  /// How long to wait when the process is out of descriptors: accepting is level-triggered, so
  /// without a pause the loop would spin.
  private static let exhaustedPauseNanoseconds: Int64 = 50_000_000

  let address: SocketAddress
  private let loop: EpollEventLoop
  private var descriptor: FileDescriptor?
  /// Held so that there is one to give up: a connection that nobody can keep is accepted with it and
  /// closed, instead of left to wait in the kernel's queue for an answer that never comes.
  private var spare: FileDescriptor?
  private var name: UInt64 = 0
  private var isPaused = false
  private let refused: @Sendable () -> Void
  private let accepted: @Sendable (any IncomingConnection) -> Void

  private init(
    _ descriptor: consuming FileDescriptor,
    address: SocketAddress,
    on loop: EpollEventLoop,
    refused: @escaping @Sendable () -> Void,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) {
    self.descriptor = consume descriptor
    self.address = address
    self.loop = loop
    self.refused = refused
    self.accepted = accepted
  }

  static func make(
    at address: SocketAddress,
    on loop: EpollEventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> SocketListener {
    let descriptor = try Syscall.socket(address.family)
    if case .unix(let path) = address {
      guard path.utf8.count <= SocketAddress.unixPathByteCountMax else {
        throw SyscallError("bind", 36)
      }
      if try await isStale(address) { Syscall.unlink(path) }
    } else {
      try Syscall.setReuseAddress(descriptor)
    }
    try Syscall.bind(descriptor, address)
    // Nobody can connect before listen(2), whatever mode the umask left the file.
    if case .unix(let path) = address { try Syscall.changeMode(path, options.unixSocketMode) }
    try Syscall.listen(descriptor, backlog: backlog)
    let bound = try Syscall.boundAddress(descriptor) ?? address
    let listener = SocketListener(
      descriptor,
      address: bound,
      on: loop,
      refused: options.refused,
      accepted: accepted
    )
    return try await withCheckedThrowingContinuation { continuation in
      loop.execute {
        continuation.resume(
          with: Result {
            try listener.register()
            return listener
          }
        )
      }
    }
  }

  /// Whether the path is a socket file that nobody listens on, left by a process that was killed.
  private static func isStale(_ address: SocketAddress) async throws -> Bool {
    let probe = try Syscall.socket(address.family)
    do {
      _ = try Syscall.connect(probe, address)
      return false
    } catch {
      return error.errno == Syscall.connectionRefused
    }
  }

  private func register() throws(SyscallError) {
    switch descriptor {
    case .some(let descriptor):
      name = try loop.register(descriptor, .readable, handler: self)
    case .none: break
    }
    takeSpare()
  }

  private func takeSpare() {
    // Without one, new connections wait in the kernel's queue until descriptors return.
    if spare == nil { spare = try? Syscall.socket(SocketAddress.unix(path: "").family) }
  }

  func close() {
    loop.execute { [self] in
      guard descriptor != nil else { return }
      // The path goes first: once the socket is closed a successor may put its own there.
      if case .unix(let path) = address { Syscall.unlink(path) }
      acceptWaiting()
      switch descriptor {
      case .some(let descriptor): loop.unregister(descriptor, name: name)
      case .none: break
      }
      descriptor = nil
      spare = nil
    }
  }

  /// Takes what waits in the backlog: these clients are connected as far as they know, and closing
  /// the listener would reset them with their first requests in flight.
  private func acceptWaiting() {
    isPaused = false
    for _ in 0..<Self.backlog where !isPaused {
      guard acceptOne() else { return }
    }
  }

  func becameReady(_ readiness: DescriptorReadiness) {
    for _ in 0..<Self.acceptsPerTurnMax {
      guard !isPaused, acceptOne() else { return }
    }
  }

  func timerFired(_ token: UInt64) {
    isPaused = false
    takeSpare()
    setInterest([.readable])
  }

  /// Accepts once; true when another may be waiting.
  private func acceptOne() -> Bool {
    switch accept() {
    case .accepted(let number, let address):
      accepted(IncomingSocket.accepted(number, from: address))
      return true
    case .retry:
      return true
    case .wouldBlock:
      return false
    case .exhausted(let errno) where Syscall.isLackOfDescriptors(errno):
      return refuseOne()
    case .exhausted, .failed:
      pause()
      return false
    }
  }

  private func accept() -> Syscall.Acceptance {
    switch descriptor {
    case .some(let descriptor): Syscall.accept(descriptor)
    case .none: .wouldBlock
    }
  }

  /// Closes the next connection as it comes; true when another may be waiting.
  private func refuseOne() -> Bool {
    guard spare != nil else {
      pause()
      return false
    }
    spare = nil
    guard case .accepted(let number, _) = accept() else {
      // Another thread was faster, or the client has given up.
      pause()
      return false
    }
    // Counted first: a client that sees the end may look at the count at once.
    refused()
    Syscall.close(number)
    takeSpare()
    return true
  }

  private func pause() {
    isPaused = true
    setInterest([])
    _ = loop.schedule(
      at: loop.now.advanced(byNanoseconds: Self.exhaustedPauseNanoseconds),
      target: self,
      token: 0
    )
  }

  private func setInterest(_ interest: DescriptorReadiness) {
    switch descriptor {
    case .some(let descriptor):
      // The descriptor is registered; a failure here can only be lack of memory, and the pause
      // timer tries again.
      try? loop.modify(descriptor, interest, name: name)
    case .none: break
    }
  }
}
