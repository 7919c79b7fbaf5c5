internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A decision asked for trees that are not in memory; the cause of an UNAVAILABLE that becomes none when they are.
struct TreesMissing: Error {
  let missing: Set<Missing>
}

/// Has trees loaded that decisions asked for.
protocol TreeLoading: Sendable {
  /// Returns when all of it was in memory, or is known not to be in the store: the roots of the trees, which are pinned
  /// and which the caller has to unpin.
  func load(_ missing: Set<Missing>) async throws -> [String]

  /// Returns the part of the store that a question which lacks trees rests on, if one of these is large.
  ///
  /// The load of that tree begins, and goes on behind the answer.
  func part(for question: PartQuestion, lacking missing: Set<Missing>) async throws -> PartAnswer
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

  /// How a tree is to be read.
  struct Load {
    let policy: Policy
    let generation: Int64
  }

  /// How a part of the store is to be read: by which policy, of which forest, and at this revision or a later one.
  var basis: (policy: Policy, generation: Int64, revision: Int64) {
    peek { ($0.policy, $0.generation, $0.revision) }
  }

  /// Whether a tree is in memory.
  func holds(root: String) -> Bool { peek { $0.holds(root: root) } }

  /// A tree is about to be read: from here on its changes are kept; nil when it is in memory.
  ///
  /// Its rows are to be read by this policy, and are good for the forest of this generation alone: numbers of types
  /// and roles belong to a policy.
  func beginLoad(root: String) -> Load? {
    state.withLock { state in
      guard !state.forest.holds(root: root) else { return nil }
      state.loads[root] = []
      return Load(policy: state.forest.policy, generation: state.forest.generation)
    }
  }

  /// Takes a tree into memory that was read for a forest of a generation; false when it has to be read again.
  func endLoad(_ tree: TreeRows, for generation: Int64) -> Bool {
    state.withLock { state in
      let steps = state.loads.removeValue(forKey: tree.root) ?? []
      guard state.forest.generation == generation else { return false }
      var tree = tree
      for step in steps
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
      if let number = state.forest.held(root) { Self.release(number, &state) }
    }
  }

  // MARK: Memory

  /// Keeps trees in memory from here on, also those that come later; `unpin` them as often.
  func pin(_ roots: [String]) {
    state.withLock { state in
      for root in roots { state.pins[root, default: 0] += 1 }
    }
  }

  /// Trees need not stay in memory any longer, as far as the one who pinned them is concerned.
  func unpin(_ roots: [String]) {
    guard !roots.isEmpty else { return }
    state.withLock { state in
      for root in roots {
        guard let count = state.pins[root] else { continue }
        state.pins[root] = count > 1 ? count - 1 : nil
      }
    }
    trim()
  }

  /// Where a user has roles, with the trees there pinned.
  ///
  /// UNAVAILABLE, because of `TreesMissing`, when they are not in memory; see `read`.
  func pinnedPlaces(of user: String) throws -> (places: Forest.Places, revision: Int64) {
    try state.withLock { state in
      let places = state.forest.places(of: user)
      try Self.requireComplete(state.forest)
      for root in places.roots { state.pins[root, default: 0] += 1 }
      return (places, state.forest.revision)
    }
  }

  /// Entities that `trim` lets go of in one hold of the lock, unless the tree that comes next has more.
  private static let trimmedCountMax = 2000

  /// Lets go of trees that were not used lately until the others take no more than they may, or all are pinned.
  func trim() {
    var isDone = false
    while !isDone {
      isDone = state.withLock { state in
        let countAtFirst = state.forest.heldCount
        while state.forest.byteCount > byteCountMax {
          if countAtFirst - state.forest.heldCount > Self.trimmedCountMax { return false }
          let pins = state.pins
          guard let root = state.forest.leastUsedRoot(isPinned: { pins[$0] != nil }) else {
            return true
          }
          Self.release(root, &state)
          state.releaseCount += 1
        }
        return true
      }
    }
  }

  /// Trees in memory, the bytes that they take, about, and how often one was let go of for others.
  var memory: (treeCount: Int, byteCount: Int, releaseCount: UInt64) {
    state.withLock { ($0.forest.treeCount, $0.forest.byteCount, $0.releaseCount) }
  }

  // MARK: Under the lock

  private static func release(_ root: UInt32, _ state: inout State) {
    for id in Array(state.walks.keys) { state.walks[id]?.willRelease(root: root, state.forest) }
    state.forest.release(state.forest.identifier(of: root))
  }

  /// Has the forest follow a change, and walks begin again if numbers that they hold mean something else now.
  static func follow(_ change: ForestChange, _ state: inout State) {
    let numbering = state.forest.numbering
    state.forest.apply(change)
    if state.forest.numbering != numbering { invalidateWalks(&state) }
  }
}
