internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Has trees loaded that decisions asked for, each once however many ask.
///
/// An unknown identifier costs one look-up in an index and loads nothing. Callers wait without holding
/// anything; a load that has begun goes on although its caller is cancelled: others may wait for it.
actor TreeLoader: TreeLoading {
  private let store: ServiceStore
  private let engine: PermissionEngine
  /// Look-ups in progress, each with its waiters.
  private var inProgress: [Missing: Task<[String], any Error>] = [:]
  /// Trees that are being read.
  private var loads: [String: Task<Void, any Error>] = [:]

  /// Times that something is read again because a change has overtaken it.
  private static let attemptCountMax = 16
  /// Roots that are looked at in one read of all trees.
  private static let pageSize = 1000

  init(_ store: ServiceStore, _ engine: PermissionEngine) {
    (self.store, self.engine) = (store, engine)
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

  /// Looks something up and loads the trees of these roots, which stay pinned; nil when a change has overtaken the
  /// answer.
  private func answer(_ missing: Missing) async throws -> [String]? {
    switch missing {
    case .tree(of: let id):
      guard let root = try await store.read({ try TreeReader.root(of: id, in: $0) }) else {
        return engine.endLookUp { $0.endLookUp(ofAbsent: id) } ? [] : nil
      }
      engine.abandonLookUp(missing)
      return try await load([root]) { _ in true }
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
    let task = Task { try await self.repeatLoad(root) }
    loads[root] = task
    defer { loads[root] = nil }
    try await task.value
  }

  private func repeatLoad(_ root: String) async throws {
    for _ in 0..<Self.attemptCountMax {
      // Before the snapshot, so that no change is between the two.
      guard let load = engine.beginLoad(root: root) else { return }
      do {
        let tree = try await store.read { try TreeReader.read(root, load.policy, in: $0) }
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
