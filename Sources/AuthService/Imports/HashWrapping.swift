internal import RPCKit
internal import ServiceKit

/// Wraps the fast digests that other systems kept passwords as in hashes of our own, one after the other.
///
/// An import takes ten thousands of accounts a second, and a hash some 30 ms: so it seals them, and this follows. It
/// takes a place among the strangers of the hash pool like everybody, and rests as long as it has worked.
struct HashWrapping: Sendable {
  let core: AuthCore

  /// How often it looks for digests when there were none, or the pool was full.
  private static let pollInterval = Duration.seconds(60)
  /// Digests that are read at once.
  private static let batchCount = 100

  /// Wraps what is there, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    while !Task.isCancelled {
      do {
        guard try await wrapBatch(on: loop) == 0 else { continue }
      } catch let error as RPCError where error.code == .resourceExhausted {
        core.logger.debug("passwords are being checked; imported digests wait", [:])
      } catch {
        core.logger.error(
          "could not wrap imported password digests; retrying",
          ["error": "\(error)"]
        )
      }
      await loop.sleep(Self.pollInterval)
    }
  }

  /// Wraps some of what is there; how many there were.
  ///
  /// Throws RESOURCE_EXHAUSTED when the pool has no place, and what the store throws.
  @discardableResult
  func wrapBatch(on loop: any EventLoop) async throws -> Int {
    let waiting = try await core.database.read { tx in
      try UserTable.fastPasswords(limit: Self.batchCount, in: tx)
    }
    for (userID, stored) in waiting {
      guard !Task.isCancelled else { break }
      let started = loop.preciseNow
      try await wrap(stored, of: userID)
      await loop.sleep(.nanoseconds(started.nanoseconds(to: loop.preciseNow)))
    }
    return waiting.count
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
