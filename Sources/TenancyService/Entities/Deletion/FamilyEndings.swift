public import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Tells AuthService of families, children and pairings that have ended, until it has ended what it keeps for
/// each of them.
///
/// The notice is queued by the write that ends, so no child stays signed in on a device that is not paired, and
/// none is signed out by a write that was rolled back.
final class FamilyEndings: CommittedWork {
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 5_000...3_600_000
  /// How long one program has a notice to itself, in milliseconds.
  private static let lease: Int64 = 60_000

  private let accounts: any FamilyAccounts
  private let logger: Logger
  private let metrics: FamilyEndMetrics
  private let queue: HandOverQueue

  init(
    _ accounts: any FamilyAccounts,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger,
    metrics: MetricRegistry
  ) {
    (self.accounts, self.logger, self.metrics) = (accounts, logger, FamilyEndMetrics(metrics))
    queue = HandOverQueue(
      table: EndedFamilyTable.name,
      key: EndedFamilyTable.key,
      pauses: Self.pauses,
      lease: Self.lease,
      clock: clock,
      random: random,
      logger: logger
    )
  }

  /// Sends the committed notices immediately.
  func wake() { queue.wake() }

  /// Tells what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await queue.run(store, on: loop, waiting: metrics.waiting.set, end)
  }

  /// Tells all that is due now.
  func drain(_ store: ServiceStore) async {
    await queue.drain(store, waiting: metrics.waiting.set, end)
  }

  @Sendable private func end(
    _ part: HandOverQueue.Waiting
  ) async throws -> HandOverQueue.Outcome {
    do {
      try await accounts.end(part.key)
    } catch let error as RPCError {
      if part.failureCount == 0 {
        logger.warning(
          "AuthService has not ended what it keeps for a family yet; retrying",
          ["ended": .string(part.key), "error": "\(error)"]
        )
      }
      metrics.outcomes.increment(.postponed)
      return .postponed
    }
    metrics.outcomes.increment(.ended)
    return .settled { _ in }
  }
}

/// The metrics of ended families that are reported to AuthService.
struct FamilyEndMetrics: Sendable {
  enum Outcome: String, CaseIterable, Sendable {
    case ended
    case postponed
  }

  let outcomes: CounterByLabel<Outcome>
  let waiting: Gauge

  init(_ registry: MetricRegistry) {
    outcomes = CounterByLabel(
      registry,
      "gatehouse_tenancy_ended_family_parts_total",
      help: "Ended families, children and pairings reported to AuthService: ended, or postponed.",
      label: "outcome"
    )
    waiting = registry.gauge(
      "gatehouse_tenancy_ended_family_parts_waiting",
      help: "Ended families, children and pairings that AuthService does not know of yet."
    )
  }
}

/// The service that has PINs of families, accounts of children and their sessions.
public protocol FamilyAccounts: Sendable {
  /// Ends all that it keeps for a family, a child or a pairing, for good; ending it again is harmless.
  ///
  /// Throws `RPCError` for an attempt that is worth another one.
  func end(_ id: String) async throws
}

/// AuthService.
public struct RemoteFamilyAccounts: FamilyAccounts {
  private let ends: Auth_V1.FamilyEndsClient

  /// Ends through a client whose channel proves which service is calling.
  public init(_ ends: Auth_V1.FamilyEndsClient) { self.ends = ends }

  /// See `FamilyAccounts.end`.
  public func end(_ id: String) async throws {
    _ = try await ends.end(.init(id: id), timeout: .seconds(20))
  }
}
