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
    // Before every revision there is: nothing goes back there, so the stream begins with RESYNC.
    let revision = request.afterRevision == 0 ? -1 : Int64(clamping: request.afterRevision)
    try await UserChangeWatch(core).tell(
      after: .init(revision: revision),
      heartbeatInterval: heartbeatInterval,
      on: call,
      to: writer
    )
  }
}

/// The changes of users, from the change log.
struct UserChangeWatch: WatchSource {
  /// Up to where a watcher has them.
  struct Position: Hashable, Sendable {
    /// The revision, which may move past changes of no interest.
    var revision: Int64
    /// Announcements so far when the store was read for it.
    var version: UInt64 = 0
    /// Where the proofs that are sent again before a RESYNC continue; nil outside of that.
    var proofs: AddressProofs.Place?
  }

  let store: ServiceStore
  let clock: any WallClock
  /// Announces changes of users.
  let signal: WakeSignal

  /// Changes of a kind that are read at a time.
  private static let batchCount = 500

  init(_ core: AuthCore) {
    (store, clock, signal) = (core.store, core.clock, core.userNews.signal)
  }

  func events(after position: Position) async throws -> WatchBatch<Auth_V1.UserChange, Position>? {
    // Before the store, so that nothing is missed in between.
    let version = signal.version
    let since = AddressProofs.Place(
      provenAt: clock.now.addingSaturated(-AddressProofs.resent),
      userID: ""
    )
    return try await store.read { tx in
      var batch = try Self.events(after: position, proofsSince: since, tx)
      batch.position.version = version
      return batch
    }
  }

  private static func events(
    after position: Position,
    proofsSince since: AddressProofs.Place,
    _ tx: borrowing ReadTransaction
  ) throws -> WatchBatch<Auth_V1.UserChange, Position> {
    if position.proofs == nil, let told = try events(after: position.revision, tx) {
      return WatchBatch(told.events, position: Position(revision: told.revision))
    }
    // Before the RESYNC, whose revision is where a watcher that is cut off goes on.
    let proofs = try AddressProofs.list(
      after: position.proofs ?? since,
      limit: batchCount,
      in: tx
    )
    guard let last = proofs.last else {
      let newest = try tx.newestRevision()
      let resync = Auth_V1.UserChange(kind: .resync, revision: UInt64(clamping: newest))
      return WatchBatch([resync], position: Position(revision: newest))
    }
    let revision = UInt64(clamping: position.revision)
    return WatchBatch(
      proofs.map { .init(kind: .addressProven, revision: revision, userId: $0.userID) },
      position: Position(revision: position.revision, proofs: last)
    )
  }

  /// The next events, and the revision up to which they tell everything; nil when the log does not go back there.
  private static func events(
    after start: Int64,
    _ tx: borrowing ReadTransaction
  ) throws -> (events: [Auth_V1.UserChange], revision: Int64)? {
    let newest = try tx.newestRevision()
    var revision = start
    while true {
      let (after, limit) = (revision, batchCount)
      let renamed = try tx.changes(UserNames.changeKind, scope: "", after: after, limit: limit)
      // Without indexes: what is after a position are few rows, and this is the one who reads them.
      let updated = try tx.changes(UserNews.profileKind, scope: "", after: after, limit: limit)
      let proven = try tx.changes(AddressProofs.changeKind, scope: "", after: after, limit: limit)
      guard let renamed, let updated, let proven else { return nil }
      // Behind a part that is full there may be more.
      revision = [renamed, updated, proven].map { end(of: $0, newest) }.min() ?? newest
      let changes = (renamed + updated + proven).filter { $0.revision <= revision }
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
    switch change.kind {
    case "\(UserNames.changeKind)": break
    case "\(AddressProofs.changeKind)":
      return .init(kind: .addressProven, revision: revision, userId: change.subject)
    default: return .init(kind: .profile, revision: revision, userId: change.subject)
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

  func heartbeat(at position: Position) -> Auth_V1.UserChange {
    .init(kind: .heartbeat, revision: UInt64(clamping: position.revision))
  }

  func waitForNews(after position: Position) async {
    await signal.wait(past: position.version)
  }
}
