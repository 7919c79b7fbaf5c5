internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The query of a list of associations, apart from the caller.
struct AssociationList: PagedRequest, Sendable {
  /// The user, or the entity.
  enum Anchor: Sendable {
    case user(String)
    /// Of one role, if that is not empty.
    case entity(String, role: String)

    var user: String? { if case .user(let id) = self { id } else { nil } }
  }

  let anchor: Anchor
  /// Without those whose time is over or has not come.
  var isInForce: Bool
  /// Only people who have this in the key of their names; empty for all.
  var text = ""
  /// By the key of the name, and not by when the roles were given.
  var isByName = false
  var isDescending = false
  /// Which page, counted from 1; 0 means that the token says it.
  var page: UInt32 = 0
  var pageSize: UInt32
  var pageToken: String

  /// Roles that are looked at for one page of a search.
  static let searchedCountMax = 100_000

  init(of user: String, _ request: some AssociationListRequest) {
    (anchor, isInForce) = (.user(user), request.inForce)
    (pageSize, pageToken, page) = (request.pageSize, request.pageToken, request.page)
    isDescending = RequestedOrder(request.sortBy).isDescending
  }

  init(on entity: String, role: String, _ request: some MemberListRequest) {
    (anchor, isInForce) = (.entity(entity, role: role), request.inForce)
    (pageSize, pageToken, page) = (request.pageSize, request.pageToken, request.page)
    text = PersonName.key(of: request.text)
    let order = RequestedOrder(request.sortBy)
    (isByName, isDescending) = (order.field == "name", order.isDescending)
  }
}

/// A request for a list of associations.
protocol AssociationListRequest: PagedRequest {
  var inForce: Bool { get }
}

/// A request for the people who have a role on an entity.
protocol MemberListRequest: AssociationListRequest {
  var text: String { get }
}

extension Tenancy_V1.ListByUserRequest: AssociationListRequest {}
extension Tenancy_V1.ListByEntityRequest: MemberListRequest {}
extension Tenancy_V1.ListRolesByUserRequest: AssociationListRequest {}
extension Tenancy_V1.ListRolesByEntityRequest: MemberListRequest {}
extension Tenancy_V1.ListTenantsRequest: MemberListRequest {}

/// The conditions of a list, and where it begins and ends, as SQL.
private struct AssociationQuery: Sendable {
  let list: AssociationList
  private var conditions: [String] = []
  private var values: [SQLValue] = []
  /// The place of the last row of the page before.
  private var start: Int64?

  init(_ list: AssociationList, now: Int64) {
    self.list = list
    switch list.anchor {
    case .user(let id): add("a.user_id = ?", .text(id))
    case .entity(let id, let role):
      add("a.entity_id = ?", .text(id))
      if !role.isEmpty { add("(a.role = ? OR d.name = ?)", .text(role), .text(role)) }
    }
    if list.isInForce {
      add("(a.valid_from IS NULL OR a.valid_from <= ?)", .integer(now))
      add("(a.valid_until IS NULL OR a.valid_until > ?)", .integer(now))
    }
  }

  private mutating func add(_ condition: String, _ added: SQLValue...) {
    conditions.append(condition)
    values += added
  }

  /// The columns of the order; the second one tells people of one name apart.
  private var columns: String { list.isByName ? "a.name_key, a.added" : "a.added" }

  private var order: String {
    let direction = list.isDescending ? "DESC" : "ASC"
    return list.isByName ? "a.name_key \(direction), a.added \(direction)" : "a.added \(direction)"
  }

  /// The place of a row in the order, for a page token.
  func cursor(_ key: String, _ added: Int64) -> [String] {
    list.isByName ? [key, "\(added)"] : ["\(added)"]
  }

  private mutating func add(_ comparison: String, _ cursor: [String]) {
    let place = Placeholders.list(cursor.count)
    conditions.append("(\(columns)) \(comparison) (\(place))")
    values += cursor.dropLast().map { .text($0) }
    values.append(.integer(cursor.last.flatMap { Int64($0) } ?? 0))
  }

  /// Only what comes after a place.
  mutating func begin(after cursor: [String]) {
    start = cursor.last.flatMap { Int64($0) }
    add(list.isDescending ? "<" : ">", cursor)
  }

  /// Only people who have the text in their names, among the first that come; the place of the last one that is
  /// looked at, nil when all are.
  mutating func search(_ tx: borrowing some Queryable) throws -> [String]? {
    guard !list.text.isEmpty else { return nil }
    // The index of the order has the key, so what does not match is not read.
    let last = try tx.query(
      """
      SELECT a.name_key, a.added FROM association a
      LEFT JOIN role_definition d ON d.id = a.variant
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT 1 OFFSET ?
      """,
      values: values + [.integer(AssociationList.searchedCountMax - 1)]
    ) { cursor($0.text(0), $0.integer(1)) }.first
    if let last { add(list.isDescending ? ">=" : "<=", last) }
    let pattern = list.text.map { #"\%_"#.contains($0) ? #"\\#($0)"# : "\($0)" }.joined()
    add(#"a.name_key LIKE ? ESCAPE '\'"#, .text("%\(pattern)%"))
    return last
  }

  /// The roles of a person that came of invitations by themselves and were not used yet, as far as the list has them.
  func taken(
    by userID: String,
    now: Int64,
    _ tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try TakenAssociationTable.all(of: userID, in: tx)
      .filter { record in
        let isNext = start.map { list.isDescending ? record.added < $0 : record.added > $0 } ?? true
        return isNext && record.validUntil ?? .max > now
          && (!list.isInForce || record.isInForce(at: now))
      }
  }

  /// The rows after those that are skipped, with roles that a person has taken and not used yet among them.
  func rows(
    skipping count: Int,
    limit: Int,
    takenBy taker: String?,
    now: Int64,
    _ tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    let taken = try taker.map { try self.taken(by: $0, now: now, tx) } ?? []
    guard !taken.isEmpty else { return try rows(skipping: count, limit: limit, tx) }
    let all = try rows(skipping: 0, limit: count + limit, tx) + taken
    let sorted = all.sorted { list.isDescending ? $0.added > $1.added : $0.added < $1.added }
    return Array(sorted.dropFirst(count).prefix(limit))
  }

  private func rows(
    skipping count: Int,
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT ? OFFSET ?",
      values: values + [.integer(limit), .integer(count)]
    )
  }
}

extension TenancyCore {
  /// A page of associations with names: in the order in which they were given, or by name.
  ///
  /// What is given, taken or renamed while somebody pages may be on them or not; all else is on exactly one.
  func page(
    _ list: AssociationList,
    method: String,
    _ caller: Caller
  ) async throws -> (
    items: [Tenancy_V1.RoleAssociation],
    nextToken: String,
    revision: Int64
  ) {
    var filter =
      switch list.anchor {
      case .user(let id): [method, id]
      case .entity(let id, let role): [method, id, role]
      }
    filter.append("\(list.isInForce)")
    if !list.text.isEmpty || list.isByName || list.isDescending {
      filter += [list.text, "\(list.isByName)", "\(list.isDescending)"]
    }
    let cursorCount = list.isByName ? 2 : 1
    let asked = try asked(list, cursorCount: cursorCount, for: filter, caller)
    var unfinished = AssociationQuery(list, now: clock.now)
    if let cursor = asked.cursor { unfinished.begin(after: cursor) }
    let (query, now) = (unfinished, clock.now)
    let taker = list.anchor.user.flatMap { firstUses.isExpected(of: $0) ? $0 : nil }
    let (rows, last, names, revision) = try await read { tx in
      var query = query
      let last = try query.search(tx)
      let rows = try query.rows(
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        takenBy: taker,
        now: now,
        tx
      )
      // With the roles: a second read would cost every sign-in more than the statement.
      let people = Set(rows.flatMap { [$0.userID, $0.grantedBy] }).subtracting([""])
      return (rows, last, try Names(of: people, tx), try tx.newestRevision())
    }
    let page = try page(of: rows, asked, after: { query.cursor($0.nameKey, $0.added) }) {
      var message = message(association: $0)
      message.show(names)
      return message
    }
    // The search goes on where it has stopped.
    guard page.nextToken.isEmpty, let last else { return (page.items, page.nextToken, revision) }
    return (page.items, asked.token(after: last), revision)
  }
}
