internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PermissionsHandler {
  /// Silence of a watch, at most; watchers re-validate after three of these.
  static let heartbeatInterval = Duration.seconds(3)

  /// Tells of changes once decisions follow them, so that who asks again gets the new answer.
  func watchChanges(
    _ request: Tenancy_V1.WatchChangesRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.Change>
  ) async throws {
    var position = core.engine.revision
    if !request.afterRevision.isEmpty {
      position = try core.tokens.revision(token: request.afterRevision)
      // Of another replica, which may be ahead of this one.
      if position > core.engine.revision { try await core.store.catchUp() }
    }
    let watch = PermissionWatch(core: core)
    // Not the newest position: anyone who is cut off now must come back for what follows.
    try await writer.write(watch.heartbeat(at: position))
    try await watch.tell(
      after: position,
      heartbeatInterval: Self.heartbeatInterval,
      on: call,
      to: writer
    )
  }
}

/// The permission changes that watchers get: whose, and below what.
struct PermissionWatch: WatchSource {
  let core: TenancyCore

  /// Messages made at a time, for a watcher that is far behind.
  private static let batchCount = 256

  func events(after position: Int64) async throws -> WatchBatch<Tenancy_V1.Change, Int64>? {
    // Before the events: the last ones of an engine that ends are still sent.
    let hasEnded = core.engine.state.withLock { $0.hasEnded }
    switch core.engine.events(after: position) {
    case .missed(let newest):
      return WatchBatch([change(.resync, newest)], position: newest)
    case .events(let events, let newest):
      guard !events.isEmpty || !hasEnded else { return nil }
      guard events.count > Self.batchCount else {
        return WatchBatch(events.map(message), position: newest)
      }
      let part = events.prefix(Self.batchCount)
      return WatchBatch(part.map(message), position: part.last?.revision ?? position)
    }
  }

  func heartbeat(at position: Int64) -> Tenancy_V1.Change { change(.heartbeat, position) }

  func waitForNews(after position: Int64) async { _ = await core.engine.reach(position + 1) }

  private func message(_ event: PermissionEngine.Event) -> Tenancy_V1.Change {
    var message: Tenancy_V1.Change
    switch event.kind {
    case .subject(let subject, let entity):
      message = change(.subject, event.revision)
      message.subjectId = subject
      message.entityId = entity
    case .subtree(let entity):
      message = change(.subtree, event.revision)
      message.entityId = entity
    case .policy: message = change(.policy, event.revision)
    }
    return message
  }

  private func change(_ kind: Tenancy_V1.ChangeKind, _ revision: Int64) -> Tenancy_V1.Change {
    Tenancy_V1.Change(revision: core.tokens.token(revision: revision), kind: kind)
  }
}
