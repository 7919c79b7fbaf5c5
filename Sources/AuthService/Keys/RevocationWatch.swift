internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What other services are told of revocations.
struct RevocationWatch: WatchSource {
  /// Up to where a watcher was told.
  struct Position: Sendable {
    /// The last revocation that it was told of.
    var revision: Int64
    /// Announcements so far when the store was read for it.
    var version: UInt64
  }

  let core: AuthCore

  /// Revocations read at a time.
  private static let batchCount = 500

  func events(after position: Position) async throws -> WatchBatch<Auth_V1.Revocation, Position>? {
    // Before the store, so that nothing is missed in between.
    let version = core.signal.version
    let batch = try await core.store.read { tx in
      try RevocationTable.list(after: position.revision, limit: Self.batchCount, in: tx)
    }
    let revision = batch.last?.revision ?? position.revision
    return WatchBatch(
      batch.map { .init($0) },
      position: Position(revision: revision, version: version)
    )
  }

  func heartbeat(at position: Position) -> Auth_V1.Revocation {
    .init(kind: .heartbeat, revision: UInt64(clamping: position.revision))
  }

  func waitForNews(after position: Position) async {
    await core.signal.wait(past: position.version)
  }
}
