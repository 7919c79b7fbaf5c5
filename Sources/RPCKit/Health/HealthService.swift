/// `grpc.health.v1.Health`: whether the server and each of its services take calls.
///
/// The empty name is the whole server. An unknown name is NOT_FOUND for `Check` and
/// SERVICE_UNKNOWN, on an open stream, for `Watch` (grpc/grpc doc/health-checking.md).
public final class HealthService: Grpc_Health_V1.HealthService {
  /// The state of one service.
  public typealias Status = Grpc_Health_V1.HealthCheckResponse.ServingStatus

  private struct State {
    var statuses: [String: Status] = ["": .serving]
    /// Told that something changed.
    ///
    /// What a watcher watches is not kept here: anybody may watch anything, and statuses change so
    /// rarely that all of them may look.
    var watchers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var nextWatcher: UInt64 = 0
    var isShutDown = false
  }

  private let state = Lock(State())

  /// Makes a service that says SERVING for the whole server.
  public init() {}

  /// Watches that are open.
  public var watcherCount: Int { state.withLock { $0.watchers.count } }

  /// Sets the status of a service, and tells those who watch it.
  ///
  /// Ignored after `shutDown`.
  public func set(_ status: Status, for service: String = "") {
    state.withLock { state in
      guard !state.isShutDown, state.statuses[service] != status else { return }
      state.statuses[service] = status
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// Says NOT_SERVING for everything from now on, and ends every `Watch`: the first step of a drain.
  public func shutDown() {
    state.withLock { state in
      state.isShutDown = true
      state.statuses = state.statuses.mapValues { _ in .notServing }
      for watcher in state.watchers.values { watcher.finish() }
    }
  }

  /// The status of one service; NOT_FOUND for a name that was never set.
  public func check(
    _ request: Grpc_Health_V1.HealthCheckRequest,
    _ call: CallContext
  ) async throws -> Grpc_Health_V1.HealthCheckResponse {
    guard let status = state.withLock({ $0.statuses[request.service] }) else {
      throw RPCError(.notFound, .serviceUnknown, "unknown service")
    }
    return Grpc_Health_V1.HealthCheckResponse(status: status)
  }

  /// The status of one service now and whenever it changes, until the client leaves or the server
  /// drains.
  ///
  /// Between changes the call only waits. Of changes in quick succession the last one is sent.
  public func watch(
    _ request: Grpc_Health_V1.HealthCheckRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Grpc_Health_V1.HealthCheckResponse>
  ) async throws {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = register(continuation)
    defer { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }
    var told: Status?
    var isOver = false
    while true {
      let status = state.withLock { $0.statuses[request.service] } ?? .serviceUnknown
      if status != told {
        try await writer.write(Grpc_Health_V1.HealthCheckResponse(status: status))
        told = status
      }
      // The end of the changes is followed by one more look: the last one may have come with it.
      guard !isOver else { return }
      isOver = await !call.waiting { await Self.hasNext(changes) }
      try Task.checkCancellation()
    }
  }

  /// Waits for the next change; false when there will be none.
  private static func hasNext(_ changes: AsyncStream<Void>) async -> Bool {
    var iterator = changes.makeAsyncIterator()
    return await iterator.next() != nil
  }

  private func register(_ changes: AsyncStream<Void>.Continuation) -> UInt64 {
    state.withLock { state in
      let id = state.nextWatcher
      state.nextWatcher += 1
      if state.isShutDown {
        changes.finish()
      } else {
        state.watchers[id] = changes
      }
      return id
    }
  }
}
