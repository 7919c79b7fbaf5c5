internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Questions that are decided by a part of the store while a large tree is on its way (docs/decisions/0244).
extension TreeLoader {
  func part(
    for question: PartQuestion,
    lacking missing: Set<Missing>
  ) async throws -> PartAnswer {
    var (isSettled, isLarge) = (true, false)
    for one in missing {
      let trees = try await trees(lackedBy: one)
      if one.isSettled(trees) { continue }
      isSettled = false
      for tree in trees where self.isLarge(tree) {
        isLarge = true
        loadBehind(one.completed(by: tree.root))
      }
    }
    if isSettled { return .settled }
    guard isLarge, let part = try await read(question) else { return .whole }
    parts.increment()
    return .part(part)
  }

  /// The trees that are to be read for something that is missing.
  private func trees(lackedBy missing: Missing) async throws -> [TreeSize] {
    switch missing {
    case .tree(of: let id):
      guard let tree = try await treeToWaitFor(of: id) else { return [] }
      return [tree]
    case .trees(ofSubject: let id):
      return try await store.read(asksTogether: true) { [engine, smallCountMax] tx in
        try TreeReader.roots(ofUser: id, in: tx).map { root in
          let isLarge =
            try !engine.holds(root: root)
            && TreeReader.isLarger(root, than: smallCountMax, in: tx)
          return TreeSize(root: root, isLarge: isLarge)
        }
      }
    // Nothing about single entities rests on that.
    case .everything: return []
    }
  }

  /// Whether a tree that is not in memory is large, as far as it can be read.
  private func isLarge(_ tree: TreeSize) -> Bool {
    let root = tree.root
    guard !unreadable.contains(root), !engine.holds(root: root) else { return false }
    if tree.isLarge { large.insert(root) }
    return large.contains(root)
  }

  /// The part that a question rests on; nil when it is too large, or when the trees are there first.
  private func read(_ question: PartQuestion) async throws -> Forest? {
    for _ in 0..<Self.attemptCountMax {
      let basis = engine.basis
      let forest = try await store.read { [zones] tx in
        try PartReader.forest(for: question, basis.policy, zones, in: tx)
      }
      // No decision is older than what memory has said before, nor newer than what it says from then on.
      guard let forest, forest.revision >= basis.revision, await engine.reach(forest.revision)
      else { return nil }
      // The policy of the revision: none came into force between the two.
      if engine.basis.generation == basis.generation { return forest }
    }
    return nil
  }

  // MARK: Behind the answers

  /// Loads something that nobody waits for, once however many lack it.
  private func loadBehind(_ missing: Missing) {
    guard behind.insert(missing).inserted else { return }
    Task {
      // An error is for those who wait for the same, as questions do from then on; see `unreadable`.
      if let roots = try? await load([missing]) { engine.unpin(roots) }
      behind.remove(missing)
    }
  }
}

extension Missing {
  /// Whether memory lacks nothing by now, as its search has found these roots: there is no such entity.
  fileprivate func isSettled(_ trees: [TreeSize]) -> Bool {
    if case .tree = self { return trees.isEmpty }
    return false
  }

  /// The look-up that loads it when the tree of a root is large: of that tree, whatever entity was asked for.
  fileprivate func completed(by root: String) -> Missing {
    if case .tree = self { return .tree(of: root) }
    return self
  }
}
