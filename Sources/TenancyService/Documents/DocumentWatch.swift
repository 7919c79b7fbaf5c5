internal import PeerContracts
internal import TenancyContracts
internal import ServiceKit

/// The events that watchers of a collection get.
///
/// The documents that exist are sent in the order of their last changes, up to the revision at which the
/// watch began, and then the changes after it. So a watcher that was cut off among the documents continues
/// with the changes after the last one: those before it have not changed since they were sent, or will
/// be sent again.
struct DocumentWatch: WatchSource {
  /// The position of a watcher.
  struct Position: Sendable {
    /// The next phase.
    enum Phase: Sendable {
      /// That everything begins anew.
      case reset
      /// The documents last changed up to a revision.
      case documents(through: Int64)
      /// Changes, and once that these were all.
      case changes(isCurrent: Bool)
    }

    var phase: Phase
    /// The last event that was sent.
    var revision: Int64
    /// Commits of the collection when it was read.
    var version: UInt64 = 0
  }

  typealias Batch = WatchBatch<Tenancy_V1.DocumentEvent, Position>

  let core: TenancyCore
  let user: UserIdentity
  let documents: UserDocuments
  let collection: String
  let watcher: ScopeWatcher

  /// Throws once the user is suspended: a right that has ended shows nothing.
  func events(after position: Position) async throws -> Batch? {
    try core.requireNotSuspended(user)
    // Before the store, so that nothing is missed in between.
    let version = watcher.look()
    var batch = try await core.store.read { tx in try next(position, tx) }
    batch.position.version = version
    return batch
  }

  func heartbeat(at position: Position) -> Tenancy_V1.DocumentEvent {
    event(.heartbeat, position.revision)
  }

  func waitForNews(after position: Position) async { await watcher.wait(past: position.version) }

  private func next(_ position: Position, _ tx: borrowing ReadTransaction) throws -> Batch {
    let newest = try tx.newestRevision()
    switch position.phase {
    case .reset:
      // Anyone who is cut off here asks for what is after 0, which is everything again.
      return Batch(
        [event(.reset, 0)],
        position: Position(phase: .documents(through: newest), revision: 0)
      )
    case .documents(let last):
      let found = try documents.documents(
        in: collection,
        changedAfter: position.revision,
        through: last,
        limit: DocumentLimits.eventCountMax,
        tx
      )
      guard !found.isEmpty else {
        return Batch(
          [event(.current, last)],
          position: Position(phase: .changes(isCurrent: true), revision: last)
        )
      }
      return try told(found, position.phase, tx)
    case .changes(let isCurrent):
      let changes = try documents.changes(
        of: collection,
        after: position.revision,
        limit: DocumentLimits.eventCountMax,
        tx
      )
      guard let changes else {
        return Batch([], position: Position(phase: .reset, revision: 0))
      }
      guard !changes.isEmpty else {
        return Batch(
          isCurrent ? [] : [event(.current, newest)],
          position: Position(phase: .changes(isCurrent: true), revision: newest)
        )
      }
      return try told(changes, position.phase, tx)
    }
  }

  /// As many changes as may be read at a time, as events.
  private func told(
    _ changes: [DocumentChange],
    _ phase: Position.Phase,
    _ tx: borrowing ReadTransaction
  ) throws -> Batch {
    var events: [Tenancy_V1.DocumentEvent] = []
    var (byteCount, revision) = (Int64(0), Int64(0))
    for change in changes where events.isEmpty || byteCount < DocumentLimits.eventByteCountMax {
      var event = event(change.isDeletion ? .delete : .put, change.revision)
      event.documentId = change.id
      if !change.isDeletion,
        let record = try documents.document(change.id, in: collection, tx),
        record.revision == change.revision
      {
        byteCount += record.byteCount
        event.document = core.message(document: record)
      }
      events.append(event)
      revision = change.revision
    }
    return Batch(events, position: Position(phase: phase, revision: revision))
  }

  private func event(
    _ kind: Tenancy_V1.DocumentEventKind,
    _ revision: Int64
  ) -> Tenancy_V1.DocumentEvent {
    Tenancy_V1.DocumentEvent(kind: kind, revision: core.tokens.token(revision: revision))
  }
}
