public import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Tells EntitlementService of deleted entities, until it has ended what each of them had.
///
/// The notice is queued by the write that deletes, so nothing that is deleted keeps a subscription,
/// and nothing loses one by a deletion that was rolled back.
final class HolderEndings: CommittedWork {
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 5_000...3_600_000

  private let holders: any EntitlementHolders
  private let logger: Logger
  private let metrics: HolderMetrics
  private let queue: HandOverQueue

  init(
    _ holders: any EntitlementHolders,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger,
    metrics: MetricRegistry
  ) {
    (self.holders, self.logger, self.metrics) = (holders, logger, HolderMetrics(metrics))
    queue = HandOverQueue(
      table: "ended_holder",
      key: "holder_id",
      pauses: Self.pauses,
      clock: clock,
      random: random,
      logger: logger
    )
  }

  /// Sends the committed notices immediately.
  func wake() { queue.wake() }

  /// Tells what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await queue.run(store, on: loop, waiting: metrics.waiting.set) { holder in
      try await self.end(holder, store)
    }
  }

  /// Tells all that is due now.
  func drain(_ store: ServiceStore) async {
    await queue.drain(store, waiting: metrics.waiting.set) { holder in
      try await self.end(holder, store)
    }
  }

  private func end(
    _ holder: HandOverQueue.Waiting,
    _ store: ServiceStore
  ) async throws -> HandOverQueue.Outcome {
    let holderID = holder.key
    let deletionID = try await store.database.read { tx in
      try EntityDeletionTable.waiting(for: holderID, in: tx)
    }
    guard let deletionID else { return .settled { _ in } }
    do {
      try await holders.end(holderID)
    } catch let error as RPCError {
      if holder.failureCount == 0 {
        logger.warning(
          "the entitlements of a deleted entity have not ended yet; retrying",
          ["entity": .string(holderID), "deletion": .string(deletionID), "error": "\(error)"]
        )
      }
      metrics.outcomes.increment(.postponed)
      return .postponed
    }
    metrics.outcomes.increment(.ended)
    return .settled { tx in
      try EntityDeletionTable.finish(deletionID, in: tx)
      try tx.audit("entity.entitlements_end", object: holderID, detail: deletionID)
    }
  }
}

/// The metrics of deleted entities that are reported to EntitlementService.
struct HolderMetrics: Sendable {
  enum Outcome: String, CaseIterable, Sendable {
    case ended
    case postponed
  }

  let outcomes: CounterByLabel<Outcome>
  let waiting: Gauge

  init(_ registry: MetricRegistry) {
    outcomes = CounterByLabel(
      registry,
      "gatehouse_tenancy_ended_holders_total",
      help: "Deleted entities reported to EntitlementService: ended there, or postponed.",
      label: "outcome"
    )
    waiting = registry.gauge(
      "gatehouse_tenancy_ended_holders_waiting",
      help: "Deleted entities whose subscriptions and points EntitlementService has not ended yet."
    )
  }
}

/// The service to notify of deleted entities that may have subscriptions or points.
public protocol EntitlementHolders: Sendable {
  /// Ends all that the entity has, for good; ending it again is harmless.
  ///
  /// Throws `RPCError` for an attempt that is worth another one.
  func end(_ holderID: String) async throws
}

/// EntitlementService.
public struct RemoteEntitlementHolders: EntitlementHolders {
  private let holders: Entitlement_V1.HoldersClient

  /// Ends through a client whose channel proves which service is calling.
  public init(_ holders: Entitlement_V1.HoldersClient) { self.holders = holders }

  /// See `EntitlementHolders.end`.
  public func end(_ holderID: String) async throws {
    _ = try await holders.end(.init(holderId: holderID), timeout: .seconds(20))
  }
}
