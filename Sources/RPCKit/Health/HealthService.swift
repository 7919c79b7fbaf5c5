/// `grpc.health.v1.Health`: whether the server and each of its services take calls.
///
/// The empty name is the whole server. An unknown name is NOT_FOUND for `Check` and
/// SERVICE_UNKNOWN, on an open stream, for `Watch` (grpc/grpc doc/health-checking.md).
public final class HealthService: Grpc_Health_V1.HealthService {
  /// What is known of one service.
  public typealias Status = Grpc_Health_V1.HealthCheckResponse.ServingStatus

  private struct State {
    var statuses: [String: Status] = ["": .serving]
    var watchers: [UInt64: Watcher] = [:]
    var nextWatcher: UInt64 = 0
    var isShutDown = false
  }

  private struct Watcher {
    var service: String
    var changes: AsyncStream<Status>.Continuation
  }

  private let state = Lock(State())

  /// Makes a service that says SERVING for the whole server.
  public init() {}

  /// Sets the status of a service, and tells those who watch it.
  ///
  /// Ignored after `shutDown`.
  public func set(_ status: Status, for service: String = "") {
    let watchers = state.withLock { state -> [AsyncStream<Status>.Continuation] in
      guard !state.isShutDown, state.statuses[service] != status else { return [] }
      state.statuses[service] = status
      return state.watchers.values.filter { $0.service == service }.map(\.changes)
    }
    for watcher in watchers { watcher.yield(status) }
  }

  /// Says NOT_SERVING for everything from now on: the first step of a drain.
  public func shutDown() {
    let watchers = state.withLock { state -> [AsyncStream<Status>.Continuation] in
      state.isShutDown = true
      state.statuses = state.statuses.mapValues { _ in .notServing }
      return state.watchers.values.filter { state.statuses[$0.service] != nil }.map(\.changes)
    }
    for watcher in watchers {
      watcher.yield(.notServing)
      watcher.finish()
    }
  }

  /// The status of one service; NOT_FOUND for a name that was never set.
  public func check(
    _ request: Grpc_Health_V1.HealthCheckRequest,
    _ call: CallContext
  ) async throws -> Grpc_Health_V1.HealthCheckResponse {
    guard let status = state.withLock({ $0.statuses[request.service] }) else {
      throw RPCError(.notFound, "unknown service")
    }
    return Grpc_Health_V1.HealthCheckResponse(status: status)
  }

  /// The status of one service now and whenever it changes, until the client leaves or the server
  /// drains.
  public func watch(
    _ request: Grpc_Health_V1.HealthCheckRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Grpc_Health_V1.HealthCheckResponse>
  ) async throws {
    // Only the newest status matters to a watcher that is behind.
    let (changes, continuation) = AsyncStream.makeStream(
      of: Status.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = register(request.service, continuation)
    defer { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }
    for await status in changes {
      try await writer.write(Grpc_Health_V1.HealthCheckResponse(status: status))
    }
    try Task.checkCancellation()
  }

  private func register(
    _ service: String,
    _ changes: AsyncStream<Status>.Continuation
  ) -> UInt64 {
    state.withLock { state in
      let id = state.nextWatcher
      state.nextWatcher += 1
      changes.yield(state.statuses[service] ?? .serviceUnknown)
      if state.isShutDown {
        changes.finish()
      } else {
        state.watchers[id] = Watcher(service: service, changes: changes)
      }
      return id
    }
  }
}
