internal import AccessEngine
internal import RPCKit

/// Lists, in slices: a check waits for a slice at most, however much there is to list.
extension PermissionEngine {
  /// Entities that a walk looks at while it holds the lock: well under a millisecond.
  static let sliceStepCount = 200

  /// Runs a walk to its end, letting other work of the thread run after each slice; nil when there is
  /// nothing to walk over.
  ///
  /// `start` begins it, again when the forest was exchanged in the meantime or nothing that was found may
  /// still be seen; `finish` says what was found, in the hold of the lock that has verified it.
  func walk<R: Sendable>(
    start: (borrowing Forest) -> AccessWalk?,
    finish: (AccessWalk, borrowing Forest) throws -> R
  ) async throws -> R? {
    while let id = try open(start) {
      defer { close(id) }
      while case .more = slice(id) {
        try Task.checkCancellation()
        await Task.yield()
      }
      if let result = try ended(id, finish) { return result }
    }
    return nil
  }

  /// As `walk`, where one cannot wait; only the lock is let go between slices.
  func walkSynchronously<R: Sendable>(
    start: (borrowing Forest) -> AccessWalk?,
    finish: (AccessWalk, borrowing Forest) throws -> R
  ) throws -> R? {
    while let id = try open(start) {
      defer { close(id) }
      while case .more = slice(id) {}
      if let result = try ended(id, finish) { return result }
    }
    return nil
  }

  // MARK: Steps

  /// Whether a walk has more to look at.
  enum Slice { case more, done }

  func open(_ start: (borrowing Forest) -> AccessWalk?) throws -> UInt64? {
    try state.withLock { state in
      let walk = start(state.forest)
      try Self.requireComplete(state.forest)
      guard let walk else { return nil }
      state.nextWalkID += 1
      state.walks[state.nextWalkID] = walk
      return state.nextWalkID
    }
  }

  /// Lets a walk look at some more.
  func slice(_ id: UInt64, stepCount: Int = sliceStepCount) -> Slice {
    state.withLock { state in
      // Taken out, so that it is changed in place.
      guard var walk = state.walks.removeValue(forKey: id), !walk.isBroken else { return .done }
      let isDone = walk.advance(stepCount, state.forest)
      state.walks[id] = walk
      return isDone ? .done : .more
    }
  }

  /// The result of a walk; nil when it must begin again.
  func ended<R: Sendable>(
    _ id: UInt64,
    _ finish: (AccessWalk, borrowing Forest) throws -> R
  ) throws -> R? {
    try state.withLock { state in
      guard var walk = state.walks.removeValue(forKey: id), !walk.isBroken else { return nil }
      walk.verify(state.forest)
      guard !walk.isBroken else { return nil }
      let result = Result { try finish(walk, state.forest) }
      try Self.requireComplete(state.forest)
      return try result.get()
    }
  }

  /// Ends a walk, wherever it is.
  func close(_ id: UInt64) {
    let walk = state.withLock { $0.walks.removeValue(forKey: id) }
    withExtendedLifetime(walk) {}
  }

  // MARK: Under the lock

  /// Lets walks step off what is about to leave its place.
  static func notifyWalks(of change: ForestChange, _ state: inout State) {
    guard !state.walks.isEmpty else { return }
    for id in Array(state.walks.keys) {
      switch change {
      case .removeEntity(let removed):
        guard let entity = state.forest.held(removed) else { return }
        state.walks[id]?.willRemove(entity, state.forest)
      case .putEntity(let row):
        guard let entity = state.forest.held(row.id),
          state.forest.held(row.parent) != state.forest.parent(of: entity)
        else { return }
        state.walks[id]?.willMove(entity, state.forest)
      default: return
      }
    }
  }

  /// Numbers of entities mean something else from now on.
  static func invalidateWalks(_ state: inout State) {
    for id in Array(state.walks.keys) { state.walks[id]?.isBroken = true }
  }
}
