internal import RPCKit
internal import ServiceKit

/// Who watches which collection, so that a change wakes those alone whom it concerns, and whoever takes no
/// events is cut off.
///
/// Follows commits and holds no changes: those who are woken read them from the store.
final class DocumentWatchers: CommitFollower {
  private let watchers = Lock<[String: [ObjectIdentifier: DocumentWatcher]]>([:])
  private let instruments: TenancyInstruments

  init(_ instruments: TenancyInstruments) { self.instruments = instruments }

  /// A call begins to watch a collection, named as changes name it; `end` it.
  func begin(_ call: CallContext, scope: String) -> DocumentWatcher {
    let watcher = DocumentWatcher(call, scope: scope)
    watchers.withLock { $0[scope, default: [:]][ObjectIdentifier(watcher)] = watcher }
    return watcher
  }

  /// A call watches no longer.
  func end(_ watcher: DocumentWatcher) {
    watchers.withLock { watchers in
      watchers[watcher.scope]?[ObjectIdentifier(watcher)] = nil
      if watchers[watcher.scope]?.isEmpty == true { watchers[watcher.scope] = nil }
    }
  }

  func follow(_ changes: [Change]) {
    for (watcher, count) in concerned(by: changes) {
      guard watcher.changed(count) > DocumentLimits.missedCountMax else { continue }
      end(watcher)
      instruments.refused(.watch)
      watcher.call.end(TenancyError.watchTooSlow)
    }
  }

  /// Who watches what has changed, and how many changes that were.
  private func concerned(by changes: [Change]) -> [(DocumentWatcher, Int)] {
    watchers.withLock { watchers in
      guard !watchers.isEmpty else { return [] }
      let kind = "\(UserDocuments.changeKind)"
      var counts: [String: Int] = [:]
      for change in changes where change.kind == kind { counts[change.scope, default: 0] += 1 }
      return counts.flatMap { scope, count in
        watchers[scope].map { $0.values.map { ($0, count) } } ?? []
      }
    }
  }
}

/// One call that watches a collection.
final class DocumentWatcher: Sendable {
  private struct State {
    /// Counts the commits that have changed the collection.
    var version: UInt64 = 0
    /// Changes since the watcher last looked.
    var missedCount = 0
    var waiter: CheckedContinuation<Void, Never>?
  }

  let call: CallContext
  let scope: String
  private let state = Lock(State())

  init(_ call: CallContext, scope: String) {
    self.call = call
    self.scope = scope
  }

  /// The watcher is about to read what is new; what it waits past then.
  func look() -> UInt64 {
    state.withLock { state in
      state.missedCount = 0
      return state.version
    }
  }

  /// The collection has changed; how many changes the watcher has not looked at.
  func changed(_ count: Int) -> Int {
    let (waiter, missedCount) = state.withLock { state in
      state.version += 1
      state.missedCount += count
      defer { state.waiter = nil }
      return (state.waiter, state.missedCount)
    }
    waiter?.resume()
    return missedCount
  }

  /// Returns after the next commit past `version`, or when the task is cancelled; for one task at a time.
  func wait(past version: UInt64) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.version == version, !Task.isCancelled else { return true }
          state.waiter = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
  }
}
