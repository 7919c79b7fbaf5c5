internal import RPCKit
internal import ServiceKit

/// One page of a list.
struct Page: Sendable {
  /// What is on it, in order.
  let ids: [String]
  /// For the next one; empty at the end.
  let nextToken: String
  /// How much there is on all pages.
  let total: Int
}

/// What a list of entities is asked for, apart from who asks.
struct EntityList: Sendable {
  let action: String
  let type: String
  /// Only what lies below all of these, which the caller may know.
  var within: [String] = []
  /// Only what has this in its name, without regard to ASCII case.
  var text = ""
  /// Only devices of this kind.
  var kind = ""
  /// `name`, `created_at` or `id`.
  var sortBy = ""
  var pageSize: UInt32 = 0
  var pageToken = ""

  static let pageSizeStandard = 50

  var limit: Int { pageSize == 0 ? Self.pageSizeStandard : Int(pageSize) }
}

extension TenancyCore {
  /// A page of the entities on which a subject may do an action: complete over all pages.
  ///
  /// What is made or deleted between two pages may be on them or not; all else is on exactly one.
  func page(
    _ list: EntityList,
    subject: String,
    context: DecisionContext,
    _ binding: TokenSealer.PageBinding
  ) throws -> Page {
    let sortsByName = list.sortBy.isEmpty || list.sortBy == "name"
    let cursor = try tokens.cursor(pageToken: list.pageToken, count: 2, binding)
    guard let action = policy.action(named: list.action), let type = policy.type(named: list.type)
    else { preconditionFailure("the policy has no \(list.action) on \(list.type)") }
    var query = Forest.ListQuery(
      subject: subject,
      action: action,
      type: type,
      context: context,
      now: clock.now
    )
    if !list.kind.isEmpty {
      guard let attribute = policy[type].attributes.first(where: { $0.name == SmartHome.kind }),
        let slot = attribute.slot, case let code = attribute.code(.text(list.kind)), code != 0
      else { return Page(ids: [], nextToken: "", total: 0) }
      query.attribute = (slot, code)
    }
    let found = engine.read { forest in
      Self.collect(list, query, sortsByName: sortsByName, after: cursor, forest)
    }
    let next = found.last.map { tokens.pageToken(after: [$0.name, $0.id], binding) } ?? ""
    return Page(ids: found.ids, nextToken: next, total: found.total)
  }

  private static func collect(
    _ list: EntityList,
    _ query: Forest.ListQuery,
    sortsByName: Bool,
    after cursor: [String]?,
    _ forest: borrowing Forest
  ) -> (ids: [String], last: (name: String, id: String)?, total: Int) {
    var query = query
    guard let within = deepest(list.within, forest) else { return ([], nil, 0) }
    query.within = within.entity
    var handles = forest.listAccessible(query)
    if !list.text.isEmpty {
      let text = lowercased(list.text)
      handles.removeAll { !contains(lowercased(forest.names[Int($0)]), text) }
    }
    let total = handles.count
    // Only what is still to come is sorted.
    if let cursor {
      handles.removeAll { handle in
        let name = sortsByName ? forest.names[Int(handle)] : ""
        return (name, forest.entities.text(handle)) <= (sortsByName ? cursor[0] : "", cursor[1])
      }
    }
    handles.sort { left, right in
      if sortsByName {
        let (first, second) = (forest.names[Int(left)], forest.names[Int(right)])
        if first != second { return first < second }
      }
      return forest.entities.isOrdered(left, before: right)
    }
    let page = handles.prefix(list.limit)
    let last = handles.count > list.limit ? page.last : nil
    return (
      page.map { forest.entities.text($0) },
      last.map { (forest.names[Int($0)], forest.entities.text($0)) },
      total
    )
  }

  /// The lowest of the entities, if the others lie above it: below several that lie apart there is
  /// nothing.
  private static func deepest(
    _ ids: [String],
    _ forest: borrowing Forest
  ) -> (entity: UInt32?, isSome: Bool)? {
    var lowest: UInt32?
    for id in ids {
      guard let entity = forest.entity(id) else { return nil }
      if let current = lowest {
        if forest.isEntity(entity, within: current) {
          lowest = entity
        } else if !forest.isEntity(current, within: entity) {
          return nil
        }
      } else {
        lowest = entity
      }
    }
    return (lowest, lowest != nil)
  }

  private static func lowercased(_ text: String) -> [UInt8] {
    text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }

  /// A page of rows that are ordered by a number: `rows` holds one more than the page.
  func page<Record>(
    of rows: [Record],
    limit: Int,
    _ binding: TokenSealer.PageBinding,
    cursor: (Record) -> [String]
  ) -> (records: [Record], nextToken: String) {
    guard rows.count > limit else { return (rows, "") }
    let page = Array(rows.prefix(limit))
    return (page, page.last.map { tokens.pageToken(after: cursor($0), binding) } ?? "")
  }
}
