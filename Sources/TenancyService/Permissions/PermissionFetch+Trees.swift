internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Pages over all trees, for a subject whose roles on the system reach into them: an operator.
///
/// The store says which trees there are, and memory has those alone that the page is at, however many there are.
extension PermissionFetch {
  /// Trees that are asked about, and loaded where need be, at a time.
  private static let treeCount = 16

  /// How far a walk over all trees has got.
  struct TreePlace: Sendable {
    /// The last tree that was begun; empty before the first.
    var root = ""
    /// How far that is; nil at its end.
    var cursor: [String]?

    static let beginning = TreePlace()

    /// As a page token carries it: identifiers have no spaces.
    var texts: [String] {
      guard let cursor else { return ["\(root) ", "", ""] }
      return ["\(root) \(cursor[0])"] + cursor.dropFirst()
    }
  }

  /// Adds what the subject has in the trees after a place, the one there first if it is not at its end.
  func addTrees(
    to page: inout Page,
    after place: TreePlace,
    now: Int64,
    _ core: TenancyCore
  ) async throws {
    var place = place
    page.next = place.texts
    while isOpen(page) {
      let roots = try await roots(at: place, core)
      guard !roots.isEmpty else {
        page.next = nil
        return
      }
      (page, place) = try await core.retrying { [page, place] in
        var (page, place) = (page, place)
        try core.engine.read { add(roots, to: &page, &place, now: now, $0) }
        try page.requireFeatures()
        return (page, place)
      }
      page.next = place.texts
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// The trees that come next.
  private func roots(at place: TreePlace, _ core: TenancyCore) async throws -> [String] {
    guard place.cursor == nil else { return [place.root] }
    return try await core.store.read { tx in
      try TreeReader.roots(after: place.root, limit: Self.treeCount, in: tx)
    }
  }

  /// Adds one tree after the other until the engine's lock has been held for long enough.
  private func add(
    _ roots: [String],
    to page: inout Page,
    _ place: inout TreePlace,
    now: Int64,
    _ forest: borrowing Forest
  ) {
    let end = page.stepCount + Self.stepCountMax
    for root in roots where page.stepCount < end && isOpen(page) {
      let cursor = place.root == root ? place.cursor : nil
      add(to: &page, below: root, after: cursor, now: now, forest)
      place = TreePlace(root: root, cursor: page.next)
      guard page.next == nil else { return }
    }
  }
}

extension PermissionFetch.TreePlace {
  /// Nil for the place of a walk that is not over all trees.
  init?(texts: [String]) {
    let parts = texts[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(root: String(parts[0]))
    if !parts[1].isEmpty { cursor = [String(parts[1])] + texts.dropFirst() }
  }
}
