internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The entitlement changes that watchers get: whose changed, and their version.
struct EntitlementWatch: WatchSource {
  let core: EntitlementCore

  func events(after position: Int64) async throws -> WatchBatch<Entitlement_V1.Change, Int64>? {
    switch try await core.database.poll(after: position) {
    case .changes(let changes):
      WatchBatch(changes.compactMap(message), position: changes.last?.revision ?? position)
    case .resync(let newest):
      WatchBatch(
        [.init(revision: UInt64(clamping: newest), kind: .resync)],
        position: newest
      )
    case .nothing: WatchBatch([], position: position)
    case .ended: nil
    }
  }

  func heartbeat(at position: Int64) -> Entitlement_V1.Change {
    .init(revision: UInt64(clamping: position), kind: .heartbeat)
  }

  func waitForNews(after position: Int64) async {
    await core.database.waitForChange(after: position)
  }

  /// Nil for a change that watchers need not hear of.
  private func message(_ change: Change) -> Entitlement_V1.Change? {
    let revision = UInt64(clamping: change.revision)
    if change.kind == CurrentCatalog.changeKind {
      return .init(revision: revision, kind: .tiers)
    }
    return SubjectVersionTable.read(change).map { subject, version in
      .init(revision: revision, kind: .subject, subject: subject.wire, version: version)
    }
  }
}
