internal import RPCKit
internal import ServiceKit

/// Wraps the fast digests that other systems kept passwords as in hashes of our own, one after the other.
///
/// An import takes ten thousands of accounts a second, and a hash some 30 ms: so it seals them, and this follows. It
/// takes a place among the strangers of the hash pool like everybody, and rests as long as it has worked.
///
/// It takes no leases: a digest that two programs wrap is replaced once.
struct HashWrapping: Sendable {
  /// How often it looks for digests when there were none, or the pool was full.
  private static let pollInterval = Duration.seconds(60)
  /// Digests that are read at once.
  private static let batchCount = 100

  private let core: AuthCore
  private let queue: LeasedQueue<Rows>

  /// The passwords that are digests.
  private struct Rows: LeasedRows {
    func due(
      now: Int64,
      limit: Int,
      in tx: borrowing some Queryable
    ) throws -> [(userID: String, password: String)] {
      try UserTable.fastPasswords(limit: limit, in: tx)
    }
  }

  init(core: AuthCore) {
    self.core = core
    queue = LeasedQueue(
      Rows(),
      .init(pollInterval: Self.pollInterval, batchCount: Self.batchCount),
      clock: core.clock
    )
  }

  /// Wraps what is there, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    await queue.run(on: loop) {
      do {
        try await wrapAll(on: loop)
      } catch let error as RPCError where error.code == .resourceExhausted {
        core.logger.debug("passwords are being checked; imported digests wait", [:])
      } catch {
        core.logger.error(
          "could not wrap imported password digests; retrying",
          ["error": "\(error)"]
        )
      }
    }
  }

  /// Wraps all that are there.
  ///
  /// Throws RESOURCE_EXHAUSTED when the pool has no place, and what the store throws.
  func wrapAll(on loop: any EventLoop) async throws {
    try await queue.drain(core.store) { row in
      let started = loop.preciseNow
      try await wrap(row.password, of: row.userID)
      await loop.sleep(.nanoseconds(started.nanoseconds(to: loop.preciseNow)))
    }
  }

  private func wrap(_ stored: String, of userID: String) async throws {
    let hasher = core.hasher
    // What cannot be opened would be found again and again; its owner asks for a reset.
    var text = ""
    if case .foreign(.salted(let digest)) = StoredPassword(stored, of: userID, core.secrets.sealing)
    {
      let permit = try core.pool.reserve(.ordinary, for: HashShare(user: userID))
      text = try await core.pool.run(permit) { try hasher.wrapped(digest) }
    }
    let replacement = text
    try await core.store.writeOwn { tx in
      try UserTable.renewPassword(of: userID, stored, by: replacement, in: tx)
    }
    core.metrics.wrappedHashes.increment()
  }
}
