/// Serves calls of some services at some addresses until it drains.
///
/// ```swift
/// let server = try Server(
///   ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 4040))]),
///   services: [handler.definition],
///   on: .epoll(count: 2)
/// )
/// try await server.run()  // returns after `server.drain()`
/// ```
public final class Server: Sendable {
  /// Life of a server.
  ///
  /// The rules are here and not in the methods.
  private enum State {
    /// Nothing is bound. Next: `running`, `stopped`.
    case idle
    /// Bound and accepting. Next: `draining`.
    case running([any Listener])
    /// Not accepting; open calls finish. Next: `stopped`.
    case draining
    /// Terminal.
    case stopped
  }

  private struct Shared {
    var state = State.idle
    var drainRequest = DrainRequest.none([])
  }

  /// Whether somebody asked the server to drain, which may be before it runs.
  private enum DrainRequest {
    /// Not made yet; these wait for it. Next: `made`.
    case none([CheckedContinuation<Void, Never>])
    /// Terminal.
    case made

    var isMade: Bool {
      if case .made = self { return true }
      return false
    }

    /// Makes the request; returns who waited for it.
    mutating func make() -> [CheckedContinuation<Void, Never>] {
      defer { self = .made }
      guard case .none(let waiters) = self else { return [] }
      return waiters
    }

    /// Adds a user who waits for the request; false when it is made already.
    mutating func wait(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
      guard case .none(let waiters) = self else { return false }
      self = .none(waiters + [waiter])
      return true
    }
  }

  let core: ServerCore
  private let network: any Network
  private let loops: EventLoopGroup
  let resources: [LoopResources]
  private let shared = Lock(Shared())

  /// Makes a server that listens once it runs.
  ///
  /// - Parameters:
  ///   - configuration: Addresses, limits and behaviour.
  ///   - services: What to serve; two methods of one name are a programming error.
  ///   - interceptors: Run around every handler, in this order.
  ///   - loops: The loops to spread connections over.
  ///   - network: Where connections come from.
  ///   - metrics: What to count into.
  ///   - reportUnexpected: Told of every error a handler threw that is not an `RPCError`, with the
  ///     correlation id that the caller sees.
  public init(
    _ configuration: ServerConfiguration,
    services: [ServiceDefinition],
    interceptors: [any ServerInterceptor] = [],
    on loops: EventLoopGroup,
    network: any Network = SocketNetwork(),
    metrics: RPCMetrics = RPCMetrics(registry: MetricRegistry(), version: "unknown"),
    reportUnexpected: @escaping @Sendable (_ id: String, CallContext, any Error) -> Void = {
      _,
      _,
      _ in
    }
  ) {
    self.network = network
    self.loops = loops
    resources = loops.loops.map {
      LoopResources($0, configuration.limits, loopCount: loops.loops.count)
    }
    core = ServerCore(
      configuration: configuration,
      services: services,
      interceptors: interceptors,
      loops: resources,
      metrics: metrics,
      reportUnexpected: reportUnexpected,
      now: loops.loops[0].now
    )
  }

  /// Binds, serves, and returns once a drain is complete.
  ///
  /// Cancelling the task drains.
  ///
  /// Throws when an address cannot be bound or the server ran before.
  public func run() async throws {
    try await start()
    await withTaskCancellationHandler {
      await waitForDrainRequest()
    } onCancel: {
      drain()
    }
    await finishDraining()
  }

  /// Serves while `body` runs, and then drains.
  ///
  /// Returns when the last connection is closed; what `body` throws is thrown afterwards.
  public func serving<Result: Sendable>(
    _ body: (Server) async throws -> Result
  ) async throws -> Result {
    try await start()
    do {
      let result = try await body(self)
      await finishDraining()
      return result
    } catch {
      await finishDraining()
      throw error
    }
  }

  /// Asks the server to stop accepting, finish what is open and return from `run`.
  public func drain() {
    let waiters = shared.withLock { shared in shared.drainRequest.make() }
    for waiter in waiters { waiter.resume() }
  }

  /// The bound addresses, with the real ports; empty while the server does not run.
  public var addresses: [SocketAddress] {
    shared.withLock { shared in
      guard case .running(let listeners) = shared.state else { return [] }
      return listeners.map(\.address)
    }
  }

  /// Whether new calls are taken.
  public var isServing: Bool {
    shared.withLock { shared in
      if case .running = shared.state { return !shared.drainRequest.isMade }
      return false
    }
  }

  /// Open connections.
  public var connectionCount: Int { core.connectionCount }

  /// The running calls, and how many may run.
  public var admission: AdmissionControl { core.admission }

  /// Open calls of every kind but the unary ones.
  public var streamingCallCount: Int { core.streamingCalls.openCount }

  /// Calls that were refused within the last ten seconds to protect the server, by reason; one
  /// appears up to a second late.
  public var recentlyShed: [ShedReason: Int] {
    core.refusalMonitor.recentlyShed(now: loops.loops[0].now)
  }

  // MARK: - Starting

  private func start() async throws {
    try shared.withLock { shared in
      guard case .idle = shared.state else {
        throw LifecycleError("a server runs once; make a new one")
      }
      shared.state = .running([])
    }
    var listeners: [any Listener] = []
    do {
      for endpoint in core.configuration.endpoints {
        listeners.append(try await listen(at: endpoint))
      }
    } catch {
      for listener in listeners { listener.close() }
      shared.withLock { $0.state = .stopped }
      throw error
    }
    shared.withLock { $0.state = .running(listeners) }
    core.observer.metrics.server.setDrainState(.serving)
  }

  private func listen(at endpoint: ServerConfiguration.Endpoint) async throws -> any Listener {
    let accept: @Sendable (any IncomingConnection) -> Void = { [core, loops, resources] incoming in
      let resources = resources[loops.nextIndex()]
      let loop = resources.loop
      loop.execute {
        core.accept(
          incoming.open(on: loop),
          wrappedBy: endpoint.wrapTransport,
          resources: resources
        )
      }
    }
    var options = endpoint.options
    options.refused = { [observer = core.observer, refused = options.refused] in
      observer.connectionRefused(.descriptors)
      refused()
    }
    return try await network.listen(
      at: endpoint.address,
      on: loops.loops[0],
      options: options,
      accepted: accept
    )
  }

  // MARK: - Draining

  private func waitForDrainRequest() async {
    await withCheckedContinuation { continuation in
      let waits = shared.withLock { shared in shared.drainRequest.wait(continuation) }
      if !waits { continuation.resume() }
    }
  }

  /// Not serving → GOAWAY → finish → flush → close, within the limit.
  private func finishDraining() async {
    let (listeners, waiters) = shared.withLock {
      shared -> ([any Listener], [CheckedContinuation<Void, Never>]) in
      guard case .running(let listeners) = shared.state else { return ([], []) }
      shared.state = .draining
      return (listeners, shared.drainRequest.make())
    }
    for waiter in waiters { waiter.resume() }
    core.observer.metrics.server.setDrainState(.draining)
    let loop = loops.loops[0]
    await loop.sleep(core.configuration.drainDelay)
    for listener in listeners { listener.close() }
    // What was accepted until now is on its way from loop to loop; it is drained like the rest.
    for loop in [loop] + loops.loops { await loop.result {} }
    core.drain()
    let limits = core.configuration.limits
    let deadline = loop.after(limits.drainTimeout) { [core] in core.closeAll() }
    let streamDeadline = limits.responseStreamDrainTimeout.map { span in
      loop.after(span) { [core] in core.endResponseStreams() }
    }
    await core.waitUntilEmpty()
    deadline.cancel()
    streamDeadline?.cancel()
    for resources in resources { resources.loop.execute { resources.workers.stop() } }
    shared.withLock { $0.state = .stopped }
    core.observer.metrics.server.setDrainState(.drained)
  }
}
