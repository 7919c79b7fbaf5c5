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
    state.withLock { state in
      guard !state.isShutDown, state.statuses[service] != status else { return }
      state.statuses[service] = status
      // Told under the lock: of two changes at a time the watchers must see the same one last.
      for watcher in state.watchers.values where watcher.service == service {
        watcher.changes.yield(status)
      }
    }
  }

  /// Says NOT_SERVING for everything from now on, and ends every `Watch`: the first step of a drain.
  public func shutDown() {
    state.withLock { state in
      state.isShutDown = true
      state.statuses = state.statuses.mapValues { _ in .notServing }
      for watcher in state.watchers.values {
        // Who watches a name that was never set learns nothing new, but would hold up the drain.
        if state.statuses[watcher.service] != nil { watcher.changes.yield(.notServing) }
        watcher.changes.finish()
      }
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
