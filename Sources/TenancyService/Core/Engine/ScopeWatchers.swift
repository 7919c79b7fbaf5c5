internal import RPCKit
internal import ServiceKit

/// The watchers of each scope of the change log, so that a change wakes those alone whom it concerns, and
/// anyone who takes no events is cut off.
///
/// Follows commits and holds no changes: those who are woken read them from the store.
final class ScopeWatchers: CommitFollower {
  /// The watched scope.
  struct Subject: Sendable {
    /// The kind of its changes.
    let kind: String
    /// Changes of a scope that happen while a watcher takes none of its events; then it is cut off.
    let missedCountMax: Int
    /// The event that it gets then.
    let tooSlow: RPCError
    /// Counts that.
    let count: @Sendable () -> Void
  }

  private let subject: Subject
  private let watchers = Lock<[String: [ObjectIdentifier: ScopeWatcher]]>([:])

  init(_ subject: Subject) { self.subject = subject }

  /// A call begins to watch a scope, named as changes name it; `end` it.
  ///
  /// The empty scope is all of them. With `replacing`, nobody else watches the same scope: anyone who does is
  /// ended with that error.
  func begin(_ call: CallContext, scope: String, replacing: RPCError? = nil) -> ScopeWatcher {
    let watcher = ScopeWatcher(call, scope: scope)
    let replaced = watchers.withLock { watchers -> [ScopeWatcher] in
      let others = replacing == nil ? [:] : watchers[scope] ?? [:]
      if replacing != nil { watchers[scope] = nil }
      watchers[scope, default: [:]][ObjectIdentifier(watcher)] = watcher
      return Array(others.values)
    }
    if let replacing { for other in replaced { other.call.end(replacing) } }
    return watcher
  }

  /// A call watches no longer.
  func end(_ watcher: ScopeWatcher) {
    watchers.withLock { watchers in
      watchers[watcher.scope]?[ObjectIdentifier(watcher)] = nil
      if watchers[watcher.scope]?.isEmpty == true { watchers[watcher.scope] = nil }
    }
  }

  func follow(_ changes: [Change]) {
    for (watcher, count) in concerned(by: changes) {
      guard watcher.changed(count) > subject.missedCountMax else { continue }
      end(watcher)
      subject.count()
      watcher.call.end(subject.tooSlow)
    }
  }

  /// The watchers of the changes, and the number of changes.
  private func concerned(by changes: [Change]) -> [(ScopeWatcher, Int)] {
    watchers.withLock { watchers in
      guard !watchers.isEmpty else { return [] }
      var counts: [String: Int] = [:]
      for change in changes where change.kind == subject.kind {
        counts[change.scope, default: 0] += 1
      }
      guard !counts.isEmpty else { return [] }
      var found = counts.flatMap { scope, count in
        watchers[scope].map { $0.values.map { ($0, count) } } ?? []
      }
      if let all = watchers[""] {
        let count = counts.values.reduce(0, +)
        found += all.values.map { ($0, count) }
      }
      return found
    }
  }
}

/// One call that watches a scope.
final class ScopeWatcher: Sendable {
  private struct State {
    /// Counts the commits that have changed the scope.
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

  /// The scope has changed; how many changes the watcher has not looked at.
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
