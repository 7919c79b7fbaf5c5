internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.UserChanges`: changes of users, for the service that shows them to others.
struct UserChangesHandler: Auth_V1.UserChangesService {
  let core: AuthCore
  let heartbeatInterval: Duration

  func watch(
    _ request: Auth_V1.WatchUserChangesRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.UserChange>
  ) async throws {
    let watch = UserChangeWatch(store: core.store, signal: core.renames)
    // Before every revision there is: nothing goes back there, so the stream begins with RESYNC.
    let revision = request.afterRevision == 0 ? -1 : Int64(clamping: request.afterRevision)
    try await watch.tell(
      after: .init(revision: revision, version: core.renames.version),
      heartbeatInterval: heartbeatInterval,
      on: call,
      to: writer
    )
  }
}

/// The changes of display names, from the change log.
struct UserChangeWatch: WatchSource {
  /// Up to where a watcher has them.
  struct Position: Sendable {
    /// The last change that it has; it may move past changes of no interest.
    var revision: Int64
    /// Announcements so far when the store was read for it.
    var version: UInt64
  }

  let store: ServiceStore
  /// Announces changes.
  let signal: WakeSignal

  /// Changes read at a time.
  private static let batchCount = 500

  func events(after position: Position) async throws -> WatchBatch<Auth_V1.UserChange, Position>? {
    // Before the store, so that nothing is missed in between.
    let version = signal.version
    let (events, revision) = try await store.read { tx in
      try Self.events(after: position.revision, tx)
    }
    return WatchBatch(events, position: Position(revision: revision, version: version))
  }

  /// The next events, and the revision up to which they tell everything.
  private static func events(
    after start: Int64,
    _ tx: borrowing ReadTransaction
  ) throws -> ([Auth_V1.UserChange], Int64) {
    let newest = try tx.newestRevision()
    var revision = start
    while true {
      let found = try tx.changes(
        UserNames.changeKind,
        scope: "",
        after: revision,
        limit: batchCount
      )
      guard let changes = found else {
        return ([.init(kind: .resync, revision: UInt64(clamping: newest))], newest)
      }
      revision = changes.count < batchCount ? newest : changes.last?.revision ?? newest
      // The name as it is now: of several changes of a user the last one counts.
      let events = try changes.compactMap { change -> Auth_V1.UserChange? in
        guard let name = try UserNames.find(change.subject, in: tx) else { return nil }
        return .init(
          kind: .displayName,
          revision: UInt64(clamping: change.revision),
          userId: name.userID,
          displayName: name.text,
          version: UInt64(clamping: name.version)
        )
      }
      if !events.isEmpty || revision == newest { return (events, revision) }
    }
  }

  func heartbeat(at position: Position) -> Auth_V1.UserChange {
    .init(kind: .heartbeat, revision: UInt64(clamping: position.revision))
  }

  func waitForNews(after position: Position) async {
    await signal.wait(past: position.version)
  }
}
