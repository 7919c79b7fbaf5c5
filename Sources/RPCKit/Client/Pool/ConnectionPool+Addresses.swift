/// Which addresses there are, and the slots for them.
extension ConnectionPool {
  static var resolveToken: UInt64 { 1 }
  static var cutToken: UInt64 { 2 }

  /// Begins to connect, with the first call.
  func start() {
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .active
      return true
    }
    if isFirst { resolve() }
  }

  private var hasNames: Bool {
    target.endpoints.contains { endpoint in
      if case .name = endpoint.place { return true }
      return false
    }
  }

  /// After a failure or GOAWAY: names may have other addresses by now.
  ///
  /// Looks them up at once, or when `nameLookupInterval` is over.
  func addressesMayHaveChanged() {
    guard hasNames else { return }
    let now = homeLoop.now
    let pause = state.withLock { state -> Duration? in
      guard state.phase == .active, !state.isResolving, !state.isResolveScheduled else {
        return nil
      }
      let due = state.lastResolved?.advanced(by: configuration.nameLookupInterval) ?? now
      guard due > now else { return .zero }
      state.isResolveScheduled = true
      return now.duration(to: due)
    }
    switch pause {
    case .none: break
    case .some(.zero): resolve()
    case .some(let pause): scheduleResolving { _ in pause }
    }
  }

  /// Looks the names up later; `isResolveScheduled` is set already.
  private func scheduleResolving(
    after pause: @escaping @Sendable (_ loop: any EventLoop) -> Duration
  ) {
    homeLoop.execute { [self] in
      _ = homeLoop.schedule(
        at: homeLoop.now.advanced(by: pause(homeLoop)),
        target: self,
        token: Self.resolveToken
      )
    }
  }

  /// Looks up every name, and sets up slots for what was found.
  func resolve() {
    guard hasNames else {
      setDestinations(
        target.endpoints.compactMap { endpoint in
          guard case .address(let address) = endpoint.place else { return nil }
          return ConnectionSlot.Destination(address: address, tlsHost: endpoint.tlsHost)
        }
      )
      return
    }
    let now = homeLoop.now
    let begins = state.withLock { state in
      guard state.phase == .active, !state.isResolving else { return false }
      state.isResolving = true
      state.lastResolved = now
      return true
    }
    guard begins else { return }
    // Ends with the resolver, which always answers; nothing waits for this task, and its result is
    // dropped when the channel has been closed.
    Task(executorPreference: homeLoop) { await self.resolveNames() }
  }

  private func resolveNames() async {
    var destinations: [ConnectionSlot.Destination] = []
    var failure: (any Error)?
    for endpoint in target.endpoints {
      switch endpoint.place {
      case .address(let address):
        destinations.append(.init(address: address, tlsHost: endpoint.tlsHost))
      case .name(let host, let port):
        do {
          let addresses = try await configuration.network.resolve(host: host, port: port)
          for address in addresses {
            destinations.append(.init(address: address, tlsHost: endpoint.tlsHost))
          }
        } catch {
          failure = error
        }
      }
    }
    finishResolving(destinations, failure)
  }

  private func finishResolving(
    _ destinations: [ConnectionSlot.Destination],
    _ failure: (any Error)?
  ) {
    let failures = state.withLock { state in
      state.isResolving = false
      state.resolveFailures = destinations.isEmpty ? state.resolveFailures + 1 : 0
      if let failure { state.lastError = failure }
      if state.resolveFailures > 0 { state.isResolveScheduled = true }
      return state.resolveFailures
    }
    // A resolver that fails says nothing against the addresses that are known.
    if failure == nil { setDestinations(destinations) } else { addDestinations(destinations) }
    guard failures > 0 else { return }
    failImpatientWaiters()
    scheduleResolving { [configuration] loop in
      configuration.reconnect.pause(attempt: failures, random: loop.randomNumber())
    }
  }

  /// Addresses of one target that are used at a time; more are left out.
  private static var destinationCountMax: Int { 64 }

  private func setDestinations(_ wanted: [ConnectionSlot.Destination]) {
    let wanted = Array(wanted.prefix(Self.destinationCountMax))
    if !wanted.isEmpty {
      let gone = state.withLock { state in
        let gone = state.slots.filter { !wanted.contains($0.destination) }
        state.slots.removeAll { slot in gone.contains { $0 === slot } }
        for slot in gone { state.slotsBackingOff.remove(ObjectIdentifier(slot)) }
        return gone
      }
      for slot in gone { slot.loop.execute { slot.release() } }
    }
    addDestinations(wanted)
  }

  private func addDestinations(_ wanted: [ConnectionSlot.Destination]) {
    let added = state.withLock { state -> [ConnectionSlot] in
      guard state.phase == .active else { return [] }
      var added: [ConnectionSlot] = []
      for destination in wanted
      where !state.slots.contains(where: { $0.destination == destination })
        && !added.contains(where: { $0.destination == destination })
      {
        for _ in 0..<configuration.connectionCountPerAddress {
          let loops = configuration.loops.loops
          added.append(
            ConnectionSlot(destination, on: loops[state.nextLoop % loops.count], pool: self)
          )
          state.nextLoop += 1
        }
      }
      state.slots += added
      return added
    }
    for slot in added { slot.loop.execute { slot.connect() } }
  }
}

/// The end.
extension ConnectionPool {
  /// Begins no more calls; returns when the open ones are over, or cut after the drain limit.
  func close() async {
    shutDown()
    homeLoop.execute { [self] in
      _ = homeLoop.schedule(
        at: homeLoop.now.advanced(by: configuration.drainTimeout),
        target: self,
        token: Self.cutToken
      )
    }
    _ = await CallContinuation<Void>.suspend { continuation in
      let isClosed = state.withLock { state in
        guard state.liveConnectionCount > 0 else { return true }
        state.closeWaiters.append(continuation)
        return false
      }
      if isClosed { continuation.resume(.success(())) }
    }
  }

  /// Begins no more calls and lets the open ones finish, without waiting.
  func shutDown() {
    let (waiters, slots) = state.withLock { state in
      state.phase = .closing
      let slots = state.slots
      if state.liveConnectionCount == 0 { state.slots = [] }
      return (state.waiters.removeAll { _ in true }, slots)
    }
    for waiter in waiters {
      cancelTimer(of: waiter)
      waiter.continuation.resume(.failure(.channelClosed))
    }
    for slot in slots { slot.loop.execute { slot.release() } }
  }

  func cut() {
    let slots = state.withLock { $0.slots }
    for slot in slots { slot.loop.execute { slot.cut() } }
  }
}
