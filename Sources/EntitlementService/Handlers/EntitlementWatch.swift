internal import Contracts
internal import RPCKit
internal import ServiceKit

/// One stream of changes: which subject, which version, and a sign of life every three seconds.
struct EntitlementWatch {
  let core: EntitlementCore
  let call: CallContext
  let writer: ResponseWriter<Entitlement_V1.Change>

  private enum Turn: Sendable {
    case event(ChangeEvent)
    case silence
    case closed
  }

  /// Runs until the caller goes or the store is closed; 0 begins with what comes next.
  func run(after revision: UInt64) async throws {
    var position = revision == 0 ? core.database.revision : Int64(clamping: revision)
    try await heartbeat(position)
    while true {
      let seen = position
      switch try await call.waiting({ try await next(after: seen) }) {
      case .closed: return
      case .silence: try await heartbeat(position)
      case .event(.resync(let newest)):
        position = newest
        try await writer.write(.init(revision: UInt64(clamping: newest), kind: .resync))
      case .event(.change(let change)):
        position = change.revision
        try await send(change)
      }
    }
  }

  private func heartbeat(_ position: Int64) async throws {
    try await writer.write(.init(revision: UInt64(clamping: position), kind: .heartbeat))
  }

  private func send(_ change: Change) async throws {
    let revision = UInt64(clamping: change.revision)
    if change.kind == EntitlementCore.tiersChangeKind {
      try await writer.write(.init(revision: revision, kind: .tiers))
    } else if let (subject, version) = SubjectVersions.read(change) {
      try await writer.write(
        .init(revision: revision, kind: .subject, subject: subject.wire, version: version)
      )
    }
  }

  /// The next change, or silence; what comes at the same time as silence is not lost, because the
  /// position moves only with what was sent.
  private func next(after position: Int64) async throws -> Turn {
    try await withThrowingTaskGroup(of: Turn.self) { group in
      let database = core.database
      group.addTask {
        var changes = database.changes(after: position).makeAsyncIterator()
        guard let event = try await changes.next() else { return .closed }
        return .event(event)
      }
      group.addTask { [loop = call.loop, interval = core.configuration.heartbeatInterval] in
        await loop.sleep(interval)
        try Task.checkCancellation()
        return .silence
      }
      defer { group.cancelAll() }
      return try await group.next() ?? .closed
    }
  }
}
