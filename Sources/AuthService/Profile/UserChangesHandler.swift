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
    let watch = UserChangeWatch(store: core.store)
    // Before every revision there is: nothing goes back there, so the stream begins with RESYNC.
    let revision = request.afterRevision == 0 ? -1 : Int64(clamping: request.afterRevision)
    try await watch.tell(
      after: revision,
      heartbeatInterval: heartbeatInterval,
      on: call,
      to: writer
    )
  }
}

/// The changes of users, from the change log.
///
/// A position is the revision up to which a watcher has them; it may move past changes of no interest.
struct UserChangeWatch: WatchSource {
  let store: ServiceStore

  /// Changes of a kind that are read at a time.
  private static let batchCount = 500

  func events(after position: Int64) async throws -> WatchBatch<Auth_V1.UserChange, Int64>? {
    let (events, revision) = try await store.read { tx in try Self.events(after: position, tx) }
    return WatchBatch(events, position: revision)
  }

  /// The next events, and the revision up to which they tell everything.
  private static func events(
    after start: Int64,
    _ tx: borrowing ReadTransaction
  ) throws -> ([Auth_V1.UserChange], Int64) {
    let newest = try tx.newestRevision()
    var revision = start
    while true {
      let (after, limit) = (revision, batchCount)
      let renamed = try tx.changes(UserNames.changeKind, scope: "", after: after, limit: limit)
      // Without an index: what is after a position are few rows, and this is the one who reads them.
      let updated = try tx.changes("user.updated", scope: "", after: after, limit: limit)
      guard let renamed, let updated else {
        return ([.init(kind: .resync, revision: UInt64(clamping: newest))], newest)
      }
      // Behind a part that is full there may be more.
      revision = min(Self.end(of: renamed, newest), Self.end(of: updated, newest))
      let changes = (renamed + updated).filter { $0.revision <= revision }
        .sorted { $0.revision < $1.revision }
      let events = try changes.compactMap { try event(of: $0, tx) }
      if !events.isEmpty || revision == newest { return (events, revision) }
    }
  }

  private static func end(of changes: [Change], _ newest: Int64) -> Int64 {
    changes.count < batchCount ? newest : changes.last?.revision ?? newest
  }

  /// Nil for a rename of a user who no longer exists.
  private static func event(
    of change: Change,
    _ tx: borrowing ReadTransaction
  ) throws -> Auth_V1.UserChange? {
    let revision = UInt64(clamping: change.revision)
    guard change.kind == "\(UserNames.changeKind)" else {
      return .init(kind: .profile, revision: revision, userId: change.subject)
    }
    // The name as it is now: of several changes of a user the last one counts.
    guard let name = try UserNames.find(change.subject, in: tx) else { return nil }
    return .init(
      kind: .displayName,
      revision: revision,
      userId: name.userID,
      displayName: name.text,
      version: UInt64(clamping: name.version)
    )
  }

  func heartbeat(at position: Int64) -> Auth_V1.UserChange {
    .init(kind: .heartbeat, revision: UInt64(clamping: position))
  }

  func waitForNews(after position: Int64) async {
    await store.database.waitForChange(after: position)
  }
}
