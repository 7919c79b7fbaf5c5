public import RPCKit

/// A service that is open, in the parts that its host serves, runs, looks at and closes.
public struct OpenService<Settings: Sendable>: Sendable {
  /// The services that are served.
  let services: [ServiceDefinition]
  /// The documents that anybody may read by HTTP beside the calls.
  let documents: [ServedDocument]
  /// Run around every handler, in this order: authentication first.
  let interceptors: [any ServerInterceptor]
  /// The readiness for calls.
  let readiness: @Sendable () -> Readiness
  /// Reads again what can change while calls are served, by the settings as they are now.
  let reload: @Sendable (_ settings: Settings) async throws -> Void
  /// Is notified of every denied call.
  let onDenial: DenialObserver

  private let work: [@Sendable () async -> Void]
  private let peers: [Channel]
  private let closeStore: @Sendable () async -> Void

  /// Gathers the parts of a service.
  ///
  /// - Parameters:
  ///   - services: What is served.
  ///   - documents: What anybody may read by HTTP beside the calls.
  ///   - interceptors: Run around every handler, in this order: authentication first.
  ///   - work: Continues while calls are served, each until its task is cancelled.
  ///   - readiness: What must be in order to be sent calls. Asked often and on an event loop: looks,
  ///     and does not wait.
  ///   - reload: Reads again what can change while calls are served, by the service's own settings as they are
  ///     now; certificates and service keys are the host's. Throws what is wrong, and keeps what was.
  ///   - onDenial: Is notified of every denied call, beside the log.
  ///   - peers: Channels to other services, closed after the last call ended.
  ///   - closeStore: Closes the store and ends the service's threads, after all of that.
  public init(
    services: [ServiceDefinition],
    documents: [ServedDocument] = [],
    interceptors: [any ServerInterceptor],
    work: [@Sendable () async -> Void],
    readiness: @escaping @Sendable () -> Readiness,
    reload: @escaping @Sendable (_ settings: Settings) async throws -> Void,
    onDenial: @escaping DenialObserver = { _, _ in },
    peers: [Channel],
    closeStore: @escaping @Sendable () async -> Void
  ) {
    self.services = services
    self.documents = documents
    self.interceptors = interceptors
    self.work = work
    self.readiness = readiness
    self.reload = reload
    self.onDenial = onDenial
    self.peers = peers
    self.closeStore = closeStore
  }

  /// Does the work that continues while calls are served, until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      for work in work { group.addTask { await work() } }
    }
  }

  /// Closes everything, after the last call ended.
  func close() async {
    for peer in peers { await peer.close() }
    await closeStore()
  }
}
