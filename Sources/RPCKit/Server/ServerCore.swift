/// What all connections of a server share.
final class ServerCore: Sendable {
  let configuration: ServerConfiguration
  let methods: MethodTable
  let interceptors: [any ServerInterceptor]
  let admission: AdmissionControl
  let observer: ServerInstruments
  /// What HELLO says.
  let settings: ConnectionSettings
  let refusals: RefusalFrames
  private let reportUnexpected: @Sendable (_ id: String, CallContext, any Error) -> Void
  private let registry = Lock(Registry())

  private struct Registry {
    var connections: [ObjectIdentifier: (number: Int, connection: ServerConnection)] = [:]
    var acceptedCount = 0
    var isDraining = false
    var waitingForEmpty: [CheckedContinuation<Void, Never>] = []

    /// The open connections, oldest first.
    var inOrder: [ServerConnection] {
      connections.values.sorted { $0.number < $1.number }.map(\.connection)
    }
  }

  init(
    configuration: ServerConfiguration,
    services: [ServiceDefinition],
    interceptors: [any ServerInterceptor],
    metrics: RPCMetrics,
    reportUnexpected: @escaping @Sendable (_ id: String, CallContext, any Error) -> Void,
    now: MonotonicInstant
  ) {
    self.configuration = configuration
    self.interceptors = interceptors
    self.reportUnexpected = reportUnexpected
    methods = MethodTable(services, metrics: metrics.server)
    observer = ServerInstruments(metrics)
    refusals = RefusalFrames(limits: configuration.limits)
    let handlerLimit = metrics.server.handlerLimit
    admission = AdmissionControl(
      configuration.admission,
      runningMax: configuration.limits.runningHandlersMax,
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

  /// Takes a connection in, or refuses it when there are too many.
  func accept(_ transport: any Transport, resources: LoopResources) {
    let connection = ServerConnection(transport, core: self, resources: resources)
    let (isAccepted, isDraining) = registry.withLock { registry in
      guard registry.connections.count < configuration.limits.connectionCountMax else {
        return (false, false)
      }
      registry.acceptedCount += 1
      registry.connections[ObjectIdentifier(connection)] = (registry.acceptedCount, connection)
      return (true, registry.isDraining)
    }
    guard isAccepted else {
      observer.connectionRefused()
      return transport.close()
    }
    observer.connectionOpened()
    connection.start()
    if isDraining { connection.drain() }
  }

  /// Forgets a connection that closed.
  func connectionClosed(_ connection: ServerConnection, _ reason: ConnectionCloseReason) {
    observer.connectionClosed(reason)
    let waiting = registry.withLock { registry -> [CheckedContinuation<Void, Never>] in
      registry.connections[ObjectIdentifier(connection)] = nil
      guard registry.connections.isEmpty else { return [] }
      defer { registry.waitingForEmpty = [] }
      return registry.waitingForEmpty
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The open connections, oldest first.
  var connections: [ServerConnection] { registry.withLock { $0.inOrder } }

  /// Open connections.
  var connectionCount: Int { registry.withLock { $0.connections.count } }

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
        guard !registry.connections.isEmpty else { return true }
        registry.waitingForEmpty.append(continuation)
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  // MARK: - Errors

  /// The status for what a handler threw.
  ///
  /// What is not meant for the caller becomes INTERNAL with a correlation id that is also in the
  /// log.
  func status(for error: any Error, _ call: CallContext) -> RPCError {
    if let error = error as? RPCError { return error }
    if error is CancellationError { return RPCError(.cancelled, "the call was cancelled") }
    let id = Self.hexadecimal(call.connection.loop.randomNumber())
    reportUnexpected(id, call, error)
    return RPCError(.internal, "internal error (correlation id \(id))", cause: error)
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
