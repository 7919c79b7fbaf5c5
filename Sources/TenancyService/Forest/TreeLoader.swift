internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Has trees loaded that decisions asked for, each once however many ask.
///
/// An unknown identifier costs one look-up in an index and loads nothing. Callers wait without holding
/// anything; a load that has begun goes on although its caller is cancelled: others may wait for it.
///
/// Questions about single entities need not wait for a large tree; see `part(for:lacking:)`.
actor TreeLoader: TreeLoading {
  let store: ServiceStore
  let engine: PermissionEngine
  let zones: any TimeZoneSource
  /// Entities of a tree that is not large, at most.
  let smallCountMax: Int
  /// Counts answers by parts of trees.
  let parts: Counter
  /// Look-ups in progress, each with its waiters.
  private var inProgress: [Missing: Task<[String], any Error>] = [:]
  /// The same of the trees of single entities; none for what is not there.
  private var searches: [String: Task<TreeSize?, any Error>] = [:]
  /// The trees that were found a moment ago, and that somebody is about to wait for.
  private var found: [String: TreeSize] = [:]
  /// Trees that are being read.
  private var loads: [String: Task<Void, any Error>] = [:]
  /// Roots of large trees that are to be read.
  var large: Set<String> = []
  /// Roots of large trees that could not be read the last time: questions wait for these, and learn why.
  var unreadable: Set<String> = []
  /// Loads in progress behind questions that are decided by parts.
  var behind: Set<Missing> = []
  /// The end of the last load of a large tree: the next one waits for it, so that of the threads that read the store one
  /// stays free for questions.
  var lastLarge: Task<Void, Never>?

  /// Trees that were found and are not waited for yet; those who do not find theirs search again.
  private static let foundCountMax = 1000
  /// Times that something is read again because a change has overtaken it.
  static let attemptCountMax = 16
  /// Roots that are looked at in one read of all trees.
  private static let pageSize = 1000

  init(
    _ store: ServiceStore,
    _ engine: PermissionEngine,
    _ zones: any TimeZoneSource,
    smallCountMax: Int,
    metrics: MetricRegistry
  ) {
    (self.store, self.engine, self.zones) = (store, engine, zones)
    self.smallCountMax = smallCountMax
    parts = TreeMetrics.parts(metrics)
  }

  /// Returns the roots of the trees that are in memory for it, pinned, for the caller to unpin; what is not in the store
  /// has none.
  ///
  /// Throws what `ServiceStore.read` does, and UNAVAILABLE when changes overtake every attempt.
  func load(_ missing: Set<Missing>) async throws -> [String] {
    var pinned: [String] = []
    do {
      for one in missing { pinned += try await lookUp(one) }
    } catch {
      engine.unpin(pinned)
      throw error
    }
    engine.trim()
    return pinned
  }

  /// The roots for something that is missing, pinned for the caller.
  private func lookUp(_ missing: Missing) async throws -> [String] {
    if let running = inProgress[missing] {
      let roots = try await running.value
      engine.pin(roots)
      return roots
    }
    let task = Task { try await self.repeatLookUp(missing) }
    inProgress[missing] = task
    defer { inProgress[missing] = nil }
    return try await task.value
  }

  private func repeatLookUp(_ missing: Missing) async throws -> [String] {
    if case .tree(of: let id) = missing {
      // What was found may have moved since: then memory lacks it again, and it is searched for again.
      let known = found.removeValue(forKey: id)
      guard let tree = if let known { known } else { try await tree(of: id) } else { return [] }
      return try await load([tree.root]) { _ in true } ?? []
    }
    for _ in 0..<Self.attemptCountMax {
      engine.beginLookUp(missing)
      do {
        if let roots = try await answer(missing) { return roots }
      } catch {
        engine.abandonLookUp(missing)
        throw error
      }
    }
    throw TenancyError.treesMissing([missing])
  }

  /// The tree of an entity, for a question that is about to wait for it if it is not large.
  func treeToWaitFor(of id: String) async throws -> TreeSize? {
    let tree = try await tree(of: id)
    if found.count >= Self.foundCountMax { found = [:] }
    found[id] = tree
    return tree
  }

  /// The tree of an entity; nil when there is no such entity, which memory knows from then on.
  ///
  /// One search at a time for each: whether a change has overtaken it is noted by identifier.
  private func tree(of id: String) async throws -> TreeSize? {
    if let running = searches[id] { return try await running.value }
    let task = Task { try await self.search(id) }
    searches[id] = task
    defer { searches[id] = nil }
    return try await task.value
  }

  private func search(_ id: String) async throws -> TreeSize? {
    let missing = Missing.tree(of: id)
    for _ in 0..<Self.attemptCountMax {
      engine.beginLookUp(missing)
      do {
        let tree = try await store.read { [smallCountMax] tx in
          try TreeReader.tree(of: id, largeBeyond: smallCountMax, in: tx)
        }
        if let tree {
          engine.abandonLookUp(missing)
          return tree
        }
      } catch {
        engine.abandonLookUp(missing)
        throw error
      }
      if engine.endLookUp({ $0.endLookUp(ofAbsent: id) }) { return nil }
    }
    throw TenancyError.treesMissing([missing])
  }

  /// Looks something up and loads the trees of these roots, which stay pinned; nil when a change has overtaken the
  /// answer.
  private func answer(_ missing: Missing) async throws -> [String]? {
    switch missing {
    case .tree: preconditionFailure("the root of a single entity is searched for")
    case .trees(ofSubject: let id):
      let roots = try await store.read { try TreeReader.roots(ofUser: id, in: $0) }
      return try await load(roots) { $0.endLookUp(ofSubject: id, roots: roots) }
    case .everything:
      let roots = try await allRoots()
      return try await load(roots) { $0.endLookUp(ofEverything: roots) }
    }
  }

  /// Loads trees, pins them so that none leaves memory before all are there, and ends a look-up by that.
  private func load(
    _ roots: [String],
    _ end: (inout Forest) -> Bool
  ) async throws -> [String]? {
    engine.pin(roots)
    do {
      for root in roots { try await load(root: root) }
      if engine.endLookUp(end) { return roots }
    } catch {
      engine.unpin(roots)
      throw error
    }
    engine.unpin(roots)
    return nil
  }

  private func allRoots() async throws -> [String] {
    var roots: [String] = []
    while true {
      let last = roots.last ?? ""
      let page = try await store.read { tx in
        try TreeReader.roots(after: last, limit: Self.pageSize, in: tx)
      }
      roots += page
      if page.count < Self.pageSize { return roots }
    }
  }

  // MARK: Trees

  private func load(root: String) async throws {
    if let running = loads[root] { return try await running.value }
    let isLarge = large.contains(root) || unreadable.contains(root)
    let earlier = isLarge ? lastLarge : nil
    let task = Task {
      await earlier?.value
      defer { large.remove(root) }
      do {
        try await self.repeatLoad(root)
        unreadable.remove(root)
      } catch {
        if large.contains(root) { unreadable.insert(root) }
        throw error
      }
    }
    loads[root] = task
    if isLarge { lastLarge = Task { _ = await task.result } }
    defer { loads[root] = nil }
    try await task.value
  }

  private func repeatLoad(_ root: String) async throws {
    for _ in 0..<Self.attemptCountMax {
      // Before the snapshot, so that no change is between the two.
      guard let load = engine.beginLoad(root: root) else { return }
      do {
        let tree = try await store.read(asksTogether: true) {
          try TreeReader.read(root, load.policy, in: $0)
        }
        guard await engine.reach(tree.revision) else {
          throw TenancyError.treesMissing([.tree(of: root)])
        }
        if engine.endLoad(tree, for: load.generation) { return }
      } catch {
        engine.abandonLoad(root: root)
        throw error
      }
    }
    throw TenancyError.treesMissing([.tree(of: root)])
  }
}
