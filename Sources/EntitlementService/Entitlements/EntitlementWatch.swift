internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The entitlement changes that watchers get: whose changed, and their version; and whose points changed, for those
/// who ask for that.
struct EntitlementWatch: WatchSource {
  /// The position of a watcher.
  struct Position: Sendable {
    var revision: Int64
    /// Among changes of points; nil for watchers that get none.
    var points: UInt64?
    /// Changes of points when it last looked.
    var version: UInt64 = 0
  }

  typealias Batch = WatchBatch<Entitlement_V1.Change, Position>

  let core: EntitlementCore

  func events(after start: Position) async throws -> Batch? {
    var position = start
    // Before the place, so that nothing is missed in between.
    position.version = core.pointsNews.version
    let points = points(&position)
    guard points.isEmpty else { return Batch(points, position: position) }
    switch try await core.database.poll(after: position.revision) {
    case .changes(let changes):
      position.revision = changes.last?.revision ?? position.revision
      return Batch(changes.compactMap { message($0, position) }, position: position)
    case .resync(let newest):
      position.revision = newest
      return Batch([change(.resync, position)], position: position)
    case .nothing: return Batch([], position: position)
    case .ended: return nil
    }
  }

  /// The changes of points after a position, which moves past them.
  private func points(_ position: inout Position) -> [Entitlement_V1.Change] {
    guard let place = position.points, place != core.pointsNews.end else { return [] }
    guard let (holders, end) = core.pointsNews.holders(after: place) else {
      position.points = core.pointsNews.end
      return [change(.points, position)]
    }
    position.points = end
    return holders.map { holder in
      var change = change(.points, position)
      change.holderId = holder
      return change
    }
  }

  func heartbeat(at position: Position) -> Entitlement_V1.Change { change(.heartbeat, position) }

  func waitForNews(after position: Position) async {
    guard position.points != nil else {
      return await core.database.waitForChange(after: position.revision)
    }
    await withDiscardingTaskGroup { group in
      let (core, isOver) = (core, WakeSignal())
      let version = isOver.version
      group.addTask {
        await core.database.waitForChange(after: position.revision)
        isOver.announce()
      }
      group.addTask {
        await core.pointsNews.wait(past: position.version)
        isOver.announce()
      }
      await isOver.wait(past: version)
      group.cancelAll()
    }
  }

  private func change(
    _ kind: Entitlement_V1.ChangeKind,
    _ position: Position
  ) -> Entitlement_V1.Change {
    .init(
      revision: UInt64(clamping: position.revision),
      kind: kind,
      pointsPlace: position.points ?? 0
    )
  }

  /// Nil for a change that watchers need not hear of.
  private func message(_ change: Change, _ position: Position) -> Entitlement_V1.Change? {
    let place = position.points ?? 0
    let revision = UInt64(clamping: change.revision)
    if change.kind == CurrentCatalog.changeKind {
      return .init(revision: revision, kind: .tiers, pointsPlace: place)
    }
    return SubjectVersionTable.read(change).map { subject, version in
      .init(
        revision: revision,
        kind: .subject,
        subject: subject.wire,
        version: version,
        pointsPlace: place
      )
    }
  }
}
