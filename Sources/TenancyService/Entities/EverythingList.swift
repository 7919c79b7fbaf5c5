internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A list over the whole store, for a subject whose roles on the system reach everything of a type: an operator.
///
/// Memory has the trees that are in use, and need not have all of them for one answer. So such a list is read from the
/// store, row by row; trees are loaded, a few at a time, only where each entity is decided on: if the action has
/// conditions, or a filter looks at what not every role shows.
struct EverythingList: Sendable {
  /// Where entities of the type are, and which of them are looked for.
  let list: EntityList
  let subject: String
  let assurance: Assurance?
  let now: Int64
  /// Whether entities are decided on one by one.
  private let decidesOnEach: Bool
  private let type: EntityTypeID
  private let filters: [ListFilter]

  /// Rows that are read at a time.
  private static let rowCount = 1_000
  /// Entities that are decided on at a time, each perhaps in a tree of its own.
  private static let decisionCount = 50

  /// Whether a list is not bound to a tree.
  static func isPossible(_ list: EntityList) -> Bool {
    list.within.isEmpty && ["", Forest.systemIdentifier].contains(list.parent)
  }

  /// Nil if what the subject may see is not everything there is, as far as roles go.
  init?(
    _ list: EntityList,
    of subject: String,
    _ assurance: Assurance?,
    now: Int64,
    _ features: any FeatureSource,
    _ forest: borrowing Forest
  ) {
    guard Self.isPossible(list),
      let query = list.query(of: subject, assurance, now: now, features, forest),
      forest.reachesEverything(query)
    else { return nil }
    (self.list, self.subject, self.assurance, self.now) = (list, subject, assurance, now)
    (type, filters) = (query.type, query.filters)
    decidesOnEach = forest.decidesOnEach(query)
  }

  /// Whether what the list has is what the store has of the type.
  private var isWhole: Bool { !decidesOnEach && filters.isEmpty && list.text.isEmpty }

  // MARK: Pages

  /// The first of the list after a place, and how many there are in all.
  func page(_ order: PlaceOrder, limit: Int, _ core: TenancyCore) async throws -> PlacePage {
    guard !isWhole else {
      return try await core.store.read { tx in
        PlacePage(
          try EntityTable.places(of: list, order, limit: limit + 1, in: tx),
          limit: limit,
          total: try EntityTable.count(of: list, in: tx)
        )
      }
    }
    var selection = PlaceSelection(order, limit: limit)
    try await forEach(core) { selection.offer($0) }
    return selection.page
  }

  /// The identifiers of all that the list has, in no order; nil for more than a number.
  func identifiers(atMost limit: Int, _ core: TenancyCore) async throws -> [String]? {
    var found: [String] = []
    if isWhole, try await core.store.read({ try EntityTable.count(of: list, in: $0) }) > limit {
      return nil
    }
    try await forEach(core) { place in
      // One more tells that there are too many.
      if found.count <= limit { found.append(place.id) }
    }
    return found.count > limit ? nil : found
  }

  // MARK: Rows

  private func forEach(_ core: TenancyCore, _ body: (ListPlace) -> Void) async throws {
    var last = ""
    while true {
      let start = last
      let rows = try await core.store.read { tx in
        try EntityTable.rows(of: list, after: start, limit: Self.rowCount, in: tx)
      }
      let policy = core.policy
      var rest = rows.filter { passes($0, policy) }[...]
      while !rest.isEmpty {
        let part = rest.prefix(decidesOnEach ? Self.decisionCount : rest.count)
        rest = rest.dropFirst(part.count)
        let seen = decidesOnEach ? try await seen(part.map(\.id), core) : nil
        for row in part where seen?.contains(row.id) != false {
          body(ListPlace(name: row.name, id: row.id))
        }
      }
      guard rows.count == Self.rowCount, let end = rows.last else { return }
      last = end.id
    }
  }

  private func passes(_ record: EntityRecord, _ policy: Policy) -> Bool {
    guard PageSelection.hasText(list.text, in: record.name) else { return false }
    guard !filters.isEmpty else { return true }
    guard let row = record.row(policy), row.type == type else { return false }
    return filters.allSatisfy { $0.passes(row) }
  }

  /// Those of some entities that the subject may see.
  private func seen(_ ids: [String], _ core: TenancyCore) async throws -> Set<String> {
    try await core.retrying {
      try core.engine.read { forest in
        guard
          let query = list.query(of: subject, assurance, now: now, core.features, forest)
        else { return [] }
        var seen: Set<String> = []
        var missing: Set<FeatureHolder> = []
        for id in ids {
          // One that is gone by now is no longer in the list.
          guard let entity = forest.entity(id) else { continue }
          let answer = forest.lists(entity, query)
          if let holder = answer.missing { missing.insert(holder) }
          if answer.isListed { seen.insert(id) }
        }
        guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
        return seen
      }
    }
  }
}
