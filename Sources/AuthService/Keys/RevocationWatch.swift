internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Revocations, for the services that watch them.
struct RevocationWatch: WatchSource {
  /// Up to where a watcher has them.
  struct Position: Sendable {
    /// The last revocation that it has.
    var revision: Int64
    /// Announcements so far when the store was read for it.
    var version: UInt64
  }

  let store: ServiceStore
  /// Those that count in this program.
  let revocations: RevocationSet
  let clock: any WallClock
  /// Announces revocations.
  let signal: WakeSignal

  /// Revocations read at a time.
  private static let batchCount = 500

  func events(after position: Position) async throws -> WatchBatch<Auth_V1.Revocation, Position>? {
    // Before the store, so that nothing is missed in between.
    let version = signal.version
    let batch = try await store.read { tx in
      try RevocationTable.list(after: position.revision, limit: Self.batchCount, in: tx)
    }
    // A store that another program has written to may be ahead of memory; what watchers get counts here first.
    let now = clock.now
    if !batch.isEmpty { revocations.insert(batch.map { Revocation($0, now: now) }, now: now) }
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
    await signal.wait(past: position.version)
  }
}

extension Auth_V1.Revocation {
  init(_ revocation: StoredRevocation) {
    self.init(
      kind: revocation.sessionID == nil ? .user : .session,
      revision: UInt64(clamping: revocation.revision),
      sessionId: revocation.sessionID ?? "",
      userId: revocation.userID,
      notBefore: revocation.notBefore.map { .init(milliseconds: $0) },
      forgetAt: .init(milliseconds: revocation.forgetAt)
    )
  }
}
