/// The state that all connections of a server share.
@usableFromInline
package final class ServerCore: Sendable {
  @usableFromInline package let configuration: ServerConfiguration
  package let methods: MethodTable
  let interceptors: [any ServerInterceptor]
  let admission: AdmissionControl
  package let observer: ServerInstruments
  /// The settings in HELLO.
  let settings: ConnectionSettings
  package let refusals: RefusalFrames
  /// The bytes that all connections together hold.
  package let held: HeldBytes
  private let loops: [LoopResources]
  let streamingCalls: StreamingCalls
  let refusalMonitor: RefusalMonitor
  private let reportUnexpected: @Sendable (_ id: String, CallContext, any Error) -> Void
  private let registry: Lock<ConnectionRegistry>

  init(
    configuration: ServerConfiguration,
    services: [ServiceDefinition],
    interceptors: [any ServerInterceptor],
    loops: [LoopResources],
    metrics: RPCMetrics,
    reportUnexpected: @escaping @Sendable (_ id: String, CallContext, any Error) -> Void,
    now: MonotonicInstant
  ) {
    self.configuration = configuration
    self.interceptors = interceptors
    self.loops = loops
    held = HeldBytes(configuration.limits)
    registry = Lock(ConnectionRegistry(configuration.limits))
    self.reportUnexpected = reportUnexpected
    methods = MethodTable(
      services,
      metrics: metrics.server,
      limits: configuration.limits
    )
    refusalMonitor = RefusalMonitor(
      methods.methods,
      logger: configuration.logger,
      loop: loops[0].loop
    )
    observer = ServerInstruments(metrics, refusalMonitor)
    refusals = RefusalFrames(limits: configuration.limits)
    streamingCalls = StreamingCalls(configuration.limits, metrics.server)
    let handlerLimit = metrics.server.handlerLimit
    admission = AdmissionControl(
      configuration.admission,
      runningMax: configuration.limits.runningHandlersMax,
      loopCount: loops.count,
      now: now,
      limitChanged: { handlerLimit.set($0) }
    )
    var settings = ConnectionSettings()
    settings.features = [.deflate]
    settings.frameByteCountMax = configuration.limits.frameByteCountMax
    settings.streamCountMax = configuration.limits.streamsPerConnectionMax
    settings.streamWindowByteCount = configuration.limits.streamWindowByteCount
    self.settings = settings
  }

  // MARK: - Connections

  /// Takes a connection in, or refuses it when there are too many: of all, or of its source.
  ///
  /// A refused one costs no more than that, in particular no TLS session.
  ///
  /// Loop only.
  func accept(
    _ plain: any Transport,
    wrappedBy wrap: (@Sendable (any Transport) throws -> any Transport)?,
    resources: LoopResources
  ) {
    let source = plain.peer.source
    switch registry.withLock({ $0.reserve(source, now: resources.loop.now) }) {
    case .reserved: break
    case .reservedAndNearlyFull(let surplus): evictIdle(surplus)
    case .refused(let limit):
      observer.connectionRefused(limit, source: source)
      return plain.close()
    }
    let transport: any Transport
    do {
      transport = try wrap?(plain) ?? plain
    } catch {
      // Without a usable TLS context nobody can be served; the reload reports the reason.
      registry.withLock { $0.giveBack(source) }
      return plain.close()
    }
    let connection: any ServedConnection =
      configuration.wires.isEmpty
      ? ServerConnection(transport, core: self, resources: resources)
      : UndecidedConnection(transport, core: self, resources: resources)
    let isDraining = registry.withLock { registry in
      registry.insert(connection)
      return registry.isDraining
    }
    observer.connectionOpened()
    connection.start()
    if isDraining { connection.drain() }
  }

  /// Puts a connection of a wire in the place of one that had not shown its wire yet.
  ///
  /// Loop only.
  func connectionDecided(
    _ undecided: UndecidedConnection,
    as connection: any ServedConnection
  ) {
    let isDraining = registry.withLock { registry in
      registry.replace(undecided, by: connection)
      return registry.isDraining
    }
    if isDraining { connection.drain() }
  }

  /// Forgets a connection that closed.
  package func connectionClosed(_ connection: any ServedConnection, _ reason: ConnectionCloseReason)
  {
    observer.connectionClosed(reason)
    let waiting = registry.withLock { $0.remove(connection) }
    for continuation in waiting { continuation.resume() }
  }

  /// The open connections, oldest first.
  var connections: [any ServedConnection] { registry.withLock { $0.inOrder } }

  /// Open connections.
  var connectionCount: Int { registry.withLock { $0.count } }

  /// Tells every connection to drain.
  func drain() {
    let connections = registry.withLock { registry in
      registry.isDraining = true
      return registry.inOrder
    }
    for connection in connections { connection.loop.execute { connection.drain() } }
  }

  /// Ends every call that answers a stream.
  func endResponseStreams() {
    for connection in connections {
      connection.loop.execute { connection.endResponseStreams() }
    }
  }

  /// Closes every connection at once.
  func closeAll() {
    let connections = registry.withLock { $0.inOrder }
    for connection in connections { connection.loop.execute { connection.close(.limit) } }
  }

  /// Returns when the last connection is closed.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = registry.withLock { registry in
        guard registry.count > 0 else { return true }
        registry.waitingForEmpty.append(continuation)
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  // MARK: - Too much

  /// A connection holds more or less than before.
  package func heldChanged(_ sort: HeldSort, by change: Int, on loop: any EventLoop) {
    switch held.change(sort, by: change) {
    case .nothing: break
    case .shed: closeHeaviest(sort)
    case .giveBack:
      // Whatever else ends with the same burst shall go back as well.
      _ = loop.after(.seconds(1)) { FreeMemory.giveBack() }
    }
  }

  /// Closes connections until all together hold little enough, on each loop those that are the
  /// greatest burden.
  ///
  /// A loop whose connections hold less than its share closes none.
  private func closeHeaviest(_ sort: HeldSort) {
    let target = held.byteCountAfterShedding(sort)
    let remaining = Countdown(loops.count)
    for resources in loops {
      resources.loop.execute { [self] in
        let candidates = connections(on: resources)
          .map { (burden: $0.burden(sort), connection: $0) }
          .sorted { $0.burden > $1.burden }
        for (burden, connection) in candidates {
          guard burden > 0, held.byteCount(sort) > target,
            resources.held[sort] > target / loops.count
          else { break }
          observer.limitReached(sort.limitName, source: connection.source)
          connection.shed(sort)
        }
        if remaining.reachesZero() { held.shedEnded(sort) }
      }
    }
  }

  /// Closes connections that have rested the longest, as many as there are too many.
  private func evictIdle(_ surplus: Int) {
    let share = surplus / loops.count + 1
    let idleTime = configuration.limits.evictionIdleTime
    for resources in loops {
      resources.loop.execute { [self] in
        let start = resources.loop.now
        let resting = connections(on: resources)
          .filter { $0.isIdle && $0.lastCall.duration(to: start) >= idleTime }
          .sorted { $0.lastCall < $1.lastCall }
        for connection in resting.prefix(share) { connection.evict() }
      }
    }
  }

  private func connections(on resources: LoopResources) -> [any ServedConnection] {
    registry.withLock { $0.all }.filter { $0.resources === resources }
  }

  // MARK: - Refusals

  /// Counts a call that is refused to protect the server.
  package func shed(_ method: BoundMethod, _ reason: ShedReason) {
    observer.shed(reason)
    refusalMonitor.shed(method, reason)
  }

  // MARK: - Errors

  /// The status for what a handler threw.
  ///
  /// What is not meant for the caller becomes INTERNAL with a correlation id that is also in the
  /// log.
  func status(for error: any Error, _ call: CallContext) -> RPCError {
    if var error = error as? RPCError {
      // Whether a call that the handler made was processed says nothing about the handler's own.
      if error.isOutcomeOfCall { error.isNotProcessed = false }
      return error
    }
    if error is CancellationError {
      return RPCError(.cancelled, .cancelled, "the call was cancelled")
    }
    let id = Self.hexadecimal(call.connection.loop.randomNumber())
    reportUnexpected(id, call, error)
    return RPCError(
      .internal,
      .internalError,
      "internal error (correlation id \(id))",
      cause: error
    )
  }

  /// The error of a call as it is answered; see `ServerConfiguration.completeError`.
  func completed(_ error: RPCError, _ call: CallContext) -> RPCError {
    configuration.completeError?(error, call) ?? error
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
