internal import AccessEngine
internal import ServiceKit

/// The part of the forest of a past instant that one decision rests on: the entity, what was above it and
/// linked to it, and what the subject had.
///
/// Of roles elsewhere there is one for each role, enough to tell OUT_OF_SCOPE from NO_ASSOCIATION.
struct PastForest {
  let subject: String
  let entityID: String
  /// Milliseconds since 1970; every change of this millisecond counts.
  let instant: Int64

  func load(
    _ policy: Policy,
    zones: any TimeZoneSource,
    _ tx: borrowing ReadTransaction
  ) throws -> Forest {
    var forest = Forest(policy: policy, zones: zones)
    forest.revision = try tx.newestRevision()
    if try SuspensionTable.wasSuspended(subject, at: instant, in: tx) {
      forest.apply(.setSuspended(subject, true))
    }
    var places = try loadPath(into: &forest, tx)
    let links = try LinkTable.links(to: entityID, at: instant, in: tx)
    for link in links where places.contains(entityID) {
      guard let id = policy.link(named: link.name), try loadAlone(link.from, into: &forest, tx)
      else { continue }
      forest.apply(.putLink(LinkRow(link: id, from: link.from, to: entityID)))
      places.append(link.from)
    }
    for definition in try RoleDefinitionTable.all(of: root(of: places), at: instant, in: tx) {
      guard let row = definition.row(policy) else { continue }
      forest.apply(.putVariant(row))
    }
    for held in try AssociationHistoryTable.all(ofUser: subject, on: places, at: instant, in: tx) {
      guard let row = held.row(policy), try loadAlone(row.entity, into: &forest, tx) else {
        continue
      }
      forest.apply(.putAssociation(row))
    }
    return forest
  }

  /// The tenant, of the entity and what was above it, nearest first and the system last.
  private func root(of path: [String]) -> String {
    guard let system = path.firstIndex(of: Forest.systemIdentifier), system > 0 else { return "" }
    return path[system - 1]
  }

  /// Loads the entity below all that was above it; their identifiers, the system's among them.
  private func loadPath(
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws -> [String] {
    var path: [EntityRecord] = []
    var next = entityID
    while next != Forest.systemIdentifier, path.count <= Forest.depthMax,
      let record = try EntityTable.find(next, at: instant, in: tx)
    {
      path.append(record)
      next = record.parentID
    }
    for record in path.reversed() {
      guard let row = record.row(forest.policy), forest.entity(row.parent) != nil else { break }
      forest.apply(.putEntity(row))
    }
    return path.map(\.id).filter { forest.entity($0) != nil } + [Forest.systemIdentifier]
  }

  /// Loads an entity that is not above the other one, for what is held on it; false when it was not there.
  private func loadAlone(
    _ id: String,
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws -> Bool {
    if forest.entity(id) != nil { return true }
    guard var row = try EntityTable.find(id, at: instant, in: tx)?.row(forest.policy) else {
      return false
    }
    row.parent = Forest.systemIdentifier
    forest.apply(.putEntity(row))
    return true
  }
}

extension EntityTable {
  /// An entity as it was at an instant; nil when it was not there.
  static func find(
    _ id: String,
    at instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> EntityRecord? {
    // Of what was replaced since, the first counted then.
    let past = try tx.first(
      """
      SELECT id, type, parent_id, '', name, attributes, '', '', NULL, 0, created_at, 0
      FROM past_entity
      WHERE id = ? AND ended_at > ? ORDER BY sequence LIMIT 1
      """,
      .text(id),
      .integer(instant)
    ) { try EntityRecord.columns.record($0) }
    let record = try past ?? all([id], in: tx).first
    return record.flatMap { $0.createdAt <= instant ? $0 : nil }
  }
}

extension LinkTable {
  /// The entities linked to an entity at an instant, by the link's name.
  static func links(
    to id: String,
    at instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> [(name: String, from: String)] {
    try tx.query(
      """
      SELECT link, from_id FROM entity_link WHERE to_id = ? AND began_at <= ?
      UNION
      SELECT link, from_id FROM past_link WHERE to_id = ? AND began_at <= ? AND ended_at > ?
      """,
      values: [.text(id), .integer(instant), .text(id), .integer(instant), .integer(instant)]
    ) { ($0.text(0), $0.text(1)) }
  }
}

extension AssociationHistoryTable {
  /// The roles that a user had at an instant on some entities, and of each role one that it had elsewhere.
  static func all(
    ofUser userID: String,
    on places: [String],
    at instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> [AssociationState] {
    let (columns, marks) = (AssociationState.columns.list, Placeholders.list(places.count))
    let then: [SQLValue] = [.text(userID), .integer(instant)]
    // Two states of one association overlap only where the clock was set back; the later one counts.
    return try tx.query(
      """
      WITH held AS (
        SELECT * FROM (
          SELECT *, row_number() OVER (PARTITION BY association_id ORDER BY sequence DESC) AS place
          FROM (
            SELECT * FROM association_history WHERE user_id = ? AND ended_at > ?
            UNION ALL SELECT * FROM association_history WHERE user_id = ? AND ended_at IS NULL
          ) AS states WHERE began_at <= ?
        ) AS ranked WHERE place = 1
      )
      SELECT \(columns) FROM held WHERE entity_id IN (\(marks))
      UNION ALL
      SELECT \(columns) FROM (
        SELECT \(columns),
          row_number() OVER (PARTITION BY role ORDER BY association_id) AS number
        FROM held WHERE entity_id NOT IN (\(marks))
      ) AS elsewhere WHERE number = 1
      """,
      values: then + then + (places + places).map { .text($0) }
    ) { try AssociationState.columns.record($0) }
  }
}
