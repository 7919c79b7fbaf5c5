internal import RPCKit
internal import ServiceKit

/// Tells EntitlementService of deleted entities, until it has ended what each of them had.
///
/// What it has to be told is queued by the write that deletes, so nothing that is deleted keeps a subscription,
/// and nothing loses one by a deletion that was rolled back.
final class HolderEndings: Sendable {
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 5_000...3_600_000

  private let holders: any EntitlementHolders
  private let logger: Logger
  private let instruments: TenancyInstruments
  private let queue: HandOverQueue

  init(
    _ holders: any EntitlementHolders,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger,
    instruments: TenancyInstruments
  ) {
    (self.holders, self.logger, self.instruments) = (holders, logger, instruments)
    queue = HandOverQueue(
      table: "ended_holder",
      key: "holder_id",
      pauses: Self.pauses,
      clock: clock,
      random: random,
      logger: logger
    )
  }

  /// Has those told that were committed, at once.
  func wake() { queue.wake() }

  /// Tells what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await queue.run(store, on: loop, waiting: instruments.waitingHolders) { holder in
      try await self.end(holder, store)
    }
  }

  /// Tells all that is due now.
  func drain(_ store: ServiceStore) async {
    await queue.drain(store, waiting: instruments.waitingHolders) { holder in
      try await self.end(holder, store)
    }
  }

  private func end(
    _ holder: HandOverQueue.Waiting,
    _ store: ServiceStore
  ) async throws -> HandOverQueue.Outcome {
    let holderID = holder.key
    let deletionID = try await store.database.read { tx in
      try EntityDeletionRecord.waiting(for: holderID, tx)
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
      instruments.holder(.postponed)
      return .postponed
    }
    instruments.holder(.ended)
    return .settled { tx in
      try EntityDeletionRecord.finish(deletionID, tx)
      try tx.audit("entity.entitlements_end", object: holderID, detail: deletionID)
    }
  }
}

/// What becomes of deleted entities that EntitlementService is told of, as metrics call it.
enum HolderMetric: String, CaseIterable, Sendable {
  case ended
  case postponed
}
