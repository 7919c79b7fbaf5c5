internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A decision asked for trees that are not in memory; the cause of an UNAVAILABLE that becomes none when they are.
struct TreesMissing: Error {
  let missing: Set<Missing>
}

/// Has trees loaded that decisions asked for.
protocol TreeLoading: Sendable {
  /// Returns when all of it was in memory, or is known not to be in the store.
  func load(_ missing: Set<Missing>) async throws
}

/// How trees come into memory and leave it.
extension PermissionEngine {
  /// The store is about to be asked for something that is missing.
  func beginLookUp(_ missing: Missing) { state.withLock { $0.forest.beginLookUp(missing) } }

  /// Ends a look-up by what the store said; false when that is old by now.
  func endLookUp(_ body: (inout Forest) -> Bool) -> Bool {
    state.withLock { body(&$0.forest) }
  }

  /// A look-up has come to nothing.
  func abandonLookUp(_ missing: Missing) { state.withLock { $0.forest.abandonLookUp(missing) } }

  /// A tree is about to be read: from here on its changes are kept; false when it is in memory.
  func beginLoad(root: String) -> Bool {
    state.withLock { state in
      guard !state.forest.holds(root: root) else { return false }
      state.loads[root] = []
      return true
    }
  }

  /// Takes a tree into memory that was read; false when it has to be read again.
  func endLoad(_ tree: TreeRows) -> Bool {
    state.withLock { state in
      var tree = tree
      for step in state.loads.removeValue(forKey: tree.root) ?? []
      where step.revision > tree.revision {
        if let change = step.change { tree.apply(change) }
      }
      return state.forest.hold(tree)
    }
  }

  /// A tree was not read after all.
  func abandonLoad(root: String) { state.withLock { $0.loads[root] = nil } }

  /// Lets go of a tree.
  func release(root: String) {
    state.withLock { state in
      state.forest.release(root)
      Self.invalidateWalks(&state)
    }
  }

  // MARK: Under the lock

  /// Has the forest follow a change, and walks begin again if numbers that they hold mean something else now.
  static func follow(_ change: ForestChange, _ state: inout State) {
    let numbering = state.forest.numbering
    state.forest.apply(change)
    if state.forest.numbering != numbering { invalidateWalks(&state) }
  }
}
