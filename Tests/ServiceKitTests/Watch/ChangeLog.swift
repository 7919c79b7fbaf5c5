import PeerContracts
import RPCKit
import RPCKitTesting

@testable import ServiceKit

/// The changes of a made-up service, and a server in a simulation that tells of them.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class ChangeLog: WatchSource, @unchecked Sendable {
  let simulation: Simulation
  /// The newest change.
  private(set) var newest: UInt64 = 0
  /// When each change was made that watchers are told of, by revision.
  private(set) var told: [(revision: UInt64, time: MonotonicInstant)] = []
  /// Changes up to here are no longer kept.
  var keptAfter: UInt64 = 0
  /// Waiters are not woken, as if the news had come just after the heartbeat was due.
  var isDeaf = false
  /// How long credentials of a watch are good.
  var credentialLifetime: ClosedRange<Duration>?
  /// Positions that watchers asked to continue after.
  private(set) var openings: [UInt64] = []
  private var hasEnded = false
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var waiterCount = 0

  init(_ simulation: Simulation) { self.simulation = simulation }

  /// Something changed; a mute change is one that watchers need not hear of.
  func change(isMute: Bool = false) {
    newest += 1
    if !isMute { told.append((newest, simulation.now)) }
    wake()
  }

  /// No more will come.
  func end() {
    hasEnded = true
    wake()
  }

  /// Whether a change that must be told lies after one position and not after another.
  func hasTold(after position: UInt64, through other: UInt64) -> Bool {
    told.contains { $0.revision > position && $0.revision <= other }
  }

  private func wake() {
    guard !isDeaf else { return }
    for waiter in waiters.values { waiter.resume() }
    waiters = [:]
  }

  // MARK: - WatchSource

  func events(after position: UInt64) -> WatchBatch<Entitlement_V1.Change, UInt64>? {
    guard position >= keptAfter, position <= newest else {
      return WatchBatch([.init(revision: newest, kind: .resync)], position: newest)
    }
    // A few at a time, so that a stream can be cut in the midst of what was missed.
    let next = told.lazy.filter { $0.revision > position }.prefix(3).map(\.revision)
    guard let last = next.last else {
      return hasEnded ? nil : WatchBatch([], position: newest)
    }
    return WatchBatch(next.map { .init(revision: $0, kind: .subject) }, position: last)
  }

  func heartbeat(at position: UInt64) -> Entitlement_V1.Change {
    .init(revision: position, kind: .heartbeat)
  }

  func waitForNews(after position: UInt64) async {
    waiterCount += 1
    let number = waiterCount
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasNews = newest != position && !isDeaf
        guard !hasNews, !hasEnded, !Task.isCancelled else { return continuation.resume() }
        waiters[number] = continuation
      }
    } onCancel: {
      waiters.removeValue(forKey: number)?.resume()
    }
  }

  // MARK: - Server

  /// The service that tells of the changes, with heartbeats every three seconds.
  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "entitlement.v1.Entitlements",
      methods: [
        .serverStreaming(Entitlement_V1.EntitlementsMethods.watch) {
          [self] (request: Entitlement_V1.WatchRequest, call, writer) in
          openings.append(request.afterRevision)
          let position = request.afterRevision == 0 ? newest : request.afterRevision
          try await writer.write(heartbeat(at: position))
          try await untilCredentialsExpire(call) {
            try await self.tell(
              after: position,
              heartbeatInterval: .seconds(3),
              on: call,
              to: writer
            )
          }
        }
      ]
    )
  }

  private func untilCredentialsExpire(
    _ call: CallContext,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let lifetime = credentialLifetime.map { simulation.random.duration(in: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      if let lifetime {
        group.addTask {
          await call.loop.sleep(lifetime)
          try Task.checkCancellation()
          throw IdentityError.proofEnded
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
