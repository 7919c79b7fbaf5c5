internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Follows the changes of display names and the proofs of addresses that AuthService tells.
///
/// How far it has come is written in the transaction that takes a name over, so a process that ends loses nothing
/// and takes nothing over twice. When changes were missed, all names are asked for again.
final class PeopleFollower: Sendable {
  /// Silence of the stream after which it is opened again.
  private static let lease = Duration.seconds(10)
  /// Revisions without a name after which the position is written all the same: they would be read again.
  private static let unwrittenCountMax: Int64 = 10_000

  private let core: TenancyCore
  private let changes: Auth_V1.UserChangesClient
  private let random: any RandomSource
  /// Gives people what their addresses are invited to.
  private let onProof: @Sendable (String) async throws -> Void
  /// Gets each change as well.
  private let listener: @Sendable (Auth_V1.UserChange) -> Void
  /// The position as it is stored.
  private let position = Lock<Int64>(0)
  /// Up to where this process has them; what is stored may be far behind, when no name changes.
  private let reached = Lock<UInt64>(0)

  /// `onProof` is called with each user who has proven an address, and `listener` with each change, in order.
  init(
    _ core: TenancyCore,
    _ changes: Auth_V1.UserChangesClient,
    random: any RandomSource,
    onProof: @escaping @Sendable (String) async throws -> Void = { _ in },
    listener: @escaping @Sendable (Auth_V1.UserChange) -> Void = { _ in }
  ) {
    (self.core, self.changes, self.random) = (core, changes, random)
    self.onProof = onProof
    self.listener = listener
  }

  /// Follows until the task is cancelled.
  func run(on loop: any EventLoop) async {
    let follower = WatchFollower(
      "people",
      lease: Self.lease,
      loop: loop,
      random: random,
      logger: core.logger
    )
    follower.report(to: core.metrics)
    while !Task.isCancelled {
      do {
        let stored = try await core.database.read { tx in try FeedPosition.find(Self.feed, in: tx) }
        position.withLock { $0 = stored ?? 0 }
        break
      } catch {
        core.logger.error("the position of a feed cannot be read; retrying", ["error": "\(error)"])
        await loop.sleep(.seconds(5))
      }
    }
    await follower.run(
      open: { [self] (_: UInt64?) in events() },
      apply: { change, _ in change.revision }
    )
  }

  private static let feed = "people"

  /// The changes after the position, each taken over before the next is read.
  private func events() -> some AsyncSequence<Auth_V1.UserChange, any Error> & Sendable {
    let start = max(UInt64(clamping: position.withLock { $0 }), reached.withLock { $0 })
    return changes.watch(.init(afterRevision: start)).map { [self] change in
      try await apply(change)
      reached.withLock { $0 = change.revision }
      listener(change)
      return change
    }
  }

  /// Takes a change over; the stream begins again after the last one whose position was stored.
  func apply(_ change: Auth_V1.UserChange) async throws {
    let revision = Int64(clamping: change.revision)
    switch change.kind {
    case .displayName:
      let name = PersonName(change.displayName, version: Int64(clamping: change.version))
      let userID = change.userId
      try await moveOn(to: revision) { tx in
        try PersonTable.take(name, of: userID, isAnswer: false, in: tx)
      }
    case .resync:
      core.newcomers.beginAnew()
      let now = core.clock.now
      try await moveOn(to: revision) { tx in try PersonTable.forget(askedBy: now, in: tx) }
      core.newcomers.announce()
    case .addressProven:
      try await onProof(change.userId)
      // Those that are sent again before a RESYNC have the revision at which the stream began.
      guard revision > position.withLock({ $0 }) else { return }
      try await moveOn(to: revision) { _ in true }
    default:
      guard revision - position.withLock({ $0 }) > Self.unwrittenCountMax else { return }
      try await moveOn(to: revision) { _ in true }
    }
  }

  /// Runs `body` until it says that nothing is left, and stores the position with the last of it.
  private func moveOn(
    to revision: Int64,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Bool
  ) async throws {
    var isDone = false
    while !isDone {
      isDone = try await core.changeOwn { tx in
        guard try body(tx) else { return false }
        try FeedPosition.put(revision, of: Self.feed, in: tx)
        return true
      }
    }
    position.withLock { $0 = revision }
  }
}

/// How far the store has followed the feeds of other services.
enum FeedPosition {
  static func find(_ name: String, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT revision FROM feed_position WHERE name = ?", .text(name)) { $0.integer(0) }
  }

  static func put(_ revision: Int64, of name: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO feed_position (name, revision) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET revision = excluded.revision
      """,
      .text(name),
      .integer(revision)
    )
  }
}
