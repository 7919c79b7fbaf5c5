internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Something that an answer rests on was changed while the answer was made.
struct ForestChanged: Error {}

/// The forest, shared: decisions under a short lock, changes in the order of their revisions.
///
/// Lists hold the lock for a slice at a time; see `walk`.
final class PermissionEngine: Sendable {
  let state: Lock<State>
  /// Bytes that trees in memory may take, about; see `trim`.
  let byteCountMax: Int

  /// A change as watchers are notified of it.
  struct Event: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      /// The answers for a subject on an entity.
      case subject(String, entity: String)
      /// The answers for an entity and all below it.
      case subtree(String)
      /// Everything, because the policy has changed or the features of all entities may have.
      case policy
    }

    let revision: Int64
    let kind: Kind
  }

  /// The event for a watcher.
  enum Events: Sendable {
    /// These, in order; none when there is nothing newer.
    case events([Event], newest: Int64)
    /// More than is remembered has happened, or the watcher is ahead of the store.
    case missed(newest: Int64)
  }

  /// Everything behind the lock.
  struct State {
    var forest: Forest
    /// The same under another policy, until the change comes that puts it into force.
    var prepared: Prepared?
    var events: [Event] = []
    /// Events after this revision are all in `events`.
    var eventsStart: Int64
    var waiters: [UInt64: Waiter] = [:]
    var nextWaiterID: UInt64 = 0
    /// Lists that are in progress.
    var walks: [UInt64: AccessWalk] = [:]
    var nextWalkID: UInt64 = 0
    /// Changes since trees are being read from the store, by their roots.
    var loads: [String: [Step]] = [:]
    /// How often a tree was let go of for others.
    var releaseCount: UInt64 = 0
    /// Roots whose trees stay in memory, by how many need that.
    var pins: [String: Int] = [:]
    var hasEnded = false
  }

  /// A forest of another policy.
  struct Prepared {
    let forest: Forest
    /// The change that puts it into force, which no change of another program does; nil until it is written.
    let change: Int64?
  }

  /// A user who waits for a revision.
  struct Waiter {
    let revision: Int64
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Events that are remembered for watchers who come back.
  private static let eventCountMax = 16_384

  /// Shares a forest, whose trees may take so many bytes.
  init(_ forest: Forest, byteCountMax: Int = .max) {
    self.byteCountMax = byteCountMax
    var forest = forest
    forest.generation = forest.revision
    state = Lock(State(forest: forest, eventsStart: forest.revision))
  }

  /// The current policy.
  ///
  /// Another one can take its place at any time; numbers of it go with its own forest only.
  var policy: Policy { peek { $0.policy } }

  /// The change that decisions follow up to.
  var revision: Int64 { peek { $0.revision } }

  /// Asks the forest a question; `body` must be short.
  ///
  /// Throws UNAVAILABLE, because of `TreesMissing`, when the answer rests on trees that are not in memory: those who can
  /// wait have them loaded and ask again, see `TenancyCore.retrying`.
  func read<R: Sendable>(_ body: (borrowing Forest) throws -> R) throws -> R {
    try state.withLock { state in
      do {
        let answer = try body(state.forest)
        try Self.requireComplete(state.forest)
        return answer
      } catch {
        // Because of what is missing, maybe.
        try Self.requireComplete(state.forest)
        throw error
      }
    }
  }

  /// Asks as `read` does, as long as nothing has changed at these places, above all trees or in the policy since a
  /// revision.
  ///
  /// Throws `ForestChanged` otherwise.
  func read<R: Sendable>(
    unchangedSince revision: Int64,
    at places: Set<String>,
    _ body: (borrowing Forest) throws -> R
  ) throws -> R {
    try state.withLock { state in
      guard !Self.hasChanged(at: places, since: revision, state) else {
        throw ForestChanged()
      }
      let answer = Result { try body(state.forest) }
      // What is missing may be why it was not answered.
      try Self.requireComplete(state.forest)
      return try answer.get()
    }
  }

  /// Runs `body` on what is in memory, for which no question about trees is asked; `body` must be short.
  func peek<R: Sendable>(_ body: (borrowing Forest) throws -> R) rethrows -> R {
    try state.withLock { state in
      defer { _ = state.forest.takeMissing() }
      return try body(state.forest)
    }
  }

  /// Throws when what was just asked of a forest rests on trees that are not in memory.
  static func requireComplete(_ forest: borrowing Forest) throws {
    let missing = forest.takeMissing()
    guard missing.isEmpty else { throw TenancyError.treesMissing(missing) }
  }

  /// Follows steps of the store, all in one hold of the lock: nobody sees some without the others.
  func apply(_ steps: [Step]) {
    let woken = state.withLock { state in
      for step in steps where step.revision > state.forest.revision {
        if let change = step.change {
          if let event = Self.event(change, of: step, state.forest) { state.events.append(event) }
          Self.notifyWalks(of: change, &state)
          Self.follow(change, &state)
          for root in state.loads.keys { state.loads[root]?.append(step) }
        } else if let news = step.news {
          state.events.append(Event(revision: step.revision, kind: news))
        }
        state.forest.revision = step.revision
      }
      Self.forgetOldEvents(&state)
      return Self.takeWaiters(&state)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Keeps a forest of another policy ready, for the change that puts it into force; nil drops it.
  func prepare(_ forest: Forest?, for change: Int64? = nil) {
    let old = state.withLock { state in
      let old = state.prepared
      state.prepared = forest.map { Prepared(forest: $0, change: change) }
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// The prepared forest, which is then nobody else's.
  func takePrepared() -> Forest? {
    state.withLock { state in
      defer { state.prepared = nil }
      return state.prepared?.forest
    }
  }

  /// The prepared forest, if a change is its own and it has followed the store up to there.
  func takePrepared(for change: Int64, ifAt revision: Int64) -> Forest? {
    state.withLock { state in
      guard let prepared = state.prepared, prepared.change == change,
        prepared.forest.revision == revision
      else { return nil }
      defer { state.prepared = nil }
      return prepared.forest
    }
  }

  /// Decides by another policy from here on; its forest is at the revision of the change that said so.
  func adopt(_ forest: Forest) {
    // What was in its place is let go after the lock: freeing a large forest takes a while.
    let (woken, old) = state.withLock { state in
      let old = state.forest
      state.forest = forest
      // The change that brings it has a revision of its own.
      state.forest.generation = forest.revision
      state.events.append(Event(revision: forest.revision, kind: .policy))
      Self.forgetOldEvents(&state)
      Self.invalidateWalks(&state)
      return (Self.takeWaiters(&state), old)
    }
    for continuation in woken { continuation.resume() }
    withExtendedLifetime(old) {}
  }

  /// The store is closed: anyone who waits for a revision waits no longer.
  func end() {
    let woken = state.withLock { state in
      state.hasEnded = true
      return Self.takeWaiters(&state)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until decisions follow a revision; returns whether they do.
  ///
  /// Returns early, with false, when the task is cancelled or the engine has ended.
  func reach(_ revision: Int64) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiterID += 1
      return state.nextWaiterID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          let isThere = state.forest.revision >= revision || state.hasEnded
          guard !isThere, !Task.isCancelled else { return true }
          state.waiters[id] = Waiter(revision: revision, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.continuation.resume()
    }
    return self.revision >= revision
  }

  /// The events after a revision.
  func events(after revision: Int64) -> Events {
    state.withLock { state in
      let newest = state.forest.revision
      guard revision >= state.eventsStart, revision <= newest else {
        return .missed(newest: newest)
      }
      let events = state.events
      var start = events.count
      while start > 0, events[start - 1].revision > revision { start -= 1 }
      return .events(Array(events[start...]), newest: newest)
    }
  }

  // MARK: Under the lock

  private static func event(
    _ change: ForestChange,
    of step: Step,
    _ forest: borrowing Forest
  ) -> Event? {
    let revision = step.revision
    return switch change {
    case .leaving: nil
    case .putEntity(let row): Event(revision: revision, kind: .subtree(row.id))
    case .removeEntity(let id): Event(revision: revision, kind: .subtree(id))
    case .putLink(let row), .removeLink(let row):
      Event(revision: revision, kind: .subtree(row.to))
    case .putAssociation(let row):
      Event(revision: revision, kind: .subject(row.subject, entity: row.entity))
    case .removeAssociation(let id):
      (forest.parties(ofAssociation: id) ?? step.place).map { parties in
        Event(revision: revision, kind: .subject(parties.subject, entity: parties.entity))
      }
    case .putVariant(let row): Event(revision: revision, kind: .subtree(row.root))
    case .removeVariant(let id):
      (forest.root(ofVariant: id) ?? step.place?.entity).map {
        Event(revision: revision, kind: .subtree($0))
      }
    case .setSuspended(let subject, _):
      Event(revision: revision, kind: .subject(subject, entity: Forest.systemIdentifier))
    }
  }

  /// Whether an event after a revision is about one of these places, about all, or no longer known.
  private static func hasChanged(
    at places: Set<String>,
    since revision: Int64,
    _ state: borrowing State
  ) -> Bool {
    guard revision >= state.eventsStart else { return true }
    var place = state.events.count
    while place > 0, state.events[place - 1].revision > revision {
      place -= 1
      switch state.events[place].kind {
      case .policy: return true
      case .subtree(let entity), .subject(_, let entity):
        if entity == Forest.systemIdentifier || places.contains(entity) { return true }
      }
    }
    return false
  }

  private static func forgetOldEvents(_ state: inout State) {
    // Half as many again, so that the rest is not moved up at each change.
    guard state.events.count > eventCountMax * 3 / 2 else { return }
    let surplus = state.events.count - eventCountMax
    state.eventsStart = state.events[surplus - 1].revision
    state.events.removeFirst(surplus)
  }

  private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard !state.waiters.isEmpty else { return [] }
    let revision = state.forest.revision
    let ready = state.waiters.filter { state.hasEnded || $0.value.revision <= revision }
    for id in ready.keys { state.waiters[id] = nil }
    return ready.values.map(\.continuation)
  }
}
