internal import Contracts
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
    }
    // Not the newest one: who is cut off now must come back for what follows.
    try await writer.write(change(.heartbeat, position))
    while !Task.isCancelled {
      switch core.engine.events(after: position) {
      case .missed(let newest):
        position = newest
        try await writer.write(change(.resync, newest))
      case .events(let events, let newest):
        for event in events { try await writer.write(message(event)) }
        position = newest
        if await !call.waiting({ await hasNews(after: newest) }) {
          try await writer.write(change(.heartbeat, core.engine.revision))
        }
      }
    }
  }

  /// Waits for a newer revision, at most until the next heartbeat is due.
  private func hasNews(after revision: Int64) async -> Bool {
    let engine = core.engine
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await engine.reach(revision + 1) }
      group.addTask {
        // Cancelled when there is news first; either way there is nothing more to wait for.
        try? await Task.sleep(for: Self.heartbeatInterval)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }

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
