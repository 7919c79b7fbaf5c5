internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The commands for a hardware bridge: those that wait, and then new ones, in the order they were given.
struct CommandWatch: WatchSource {
  /// The position of a bridge.
  struct Position: Sendable {
    /// The last command that was sent.
    var revision: Int64
    /// Whether it has got everything that waited.
    var isCurrent = false
    /// Commits of the scope when it was read.
    var version: UInt64 = 0
  }

  typealias Batch = WatchBatch<Tenancy_V1.CommandEvent, Position>

  let core: TenancyCore
  /// Of its own, among all watches of all programs of the service.
  let id: String
  /// Empty for all of them.
  let propertyID: String
  let watcher: ScopeWatcher

  func events(after position: Position) async throws -> Batch? {
    // Before the store, so that nothing is missed in between.
    let version = watcher.look()
    let (core, id, propertyID) = (core, id, propertyID)
    let now = core.clock.now
    let (waiting, newest) = try await core.store.read { tx in
      guard try BridgeTable.isCurrent(id, inProperty: propertyID, in: tx) else {
        throw DeviceError.watchReplaced
      }
      return (
        try CommandTable.waiting(
          inProperty: propertyID,
          after: position.revision,
          now: now,
          in: tx
        ), try tx.newestRevision()
      )
    }
    guard let last = waiting.last else {
      return Batch(
        position.isCurrent ? [] : [event(.current, newest)],
        position: Position(
          revision: max(newest, position.revision),
          isCurrent: true,
          version: version
        )
      )
    }
    return Batch(
      waiting.map { command in
        var event = event(.command, command.revision)
        event.command = command.message
        return event
      },
      position: Position(
        revision: last.revision,
        isCurrent: position.isCurrent,
        version: version
      )
    )
  }

  func heartbeat(at position: Position) -> Tenancy_V1.CommandEvent {
    event(.heartbeat, position.revision)
  }

  func waitForNews(after position: Position) async { await watcher.wait(past: position.version) }

  private func event(
    _ kind: Tenancy_V1.CommandEventKind,
    _ revision: Int64
  ) -> Tenancy_V1.CommandEvent {
    Tenancy_V1.CommandEvent(kind: kind, position: core.tokens.token(revision: revision))
  }
}
