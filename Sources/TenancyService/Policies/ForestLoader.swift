internal import AccessEngine
internal import ServiceKit

/// Reads the whole forest from the store, page by page in one snapshot.
enum ForestLoader {
  private static let pageSize: Int64 = 10_000

  /// The forest at the newest revision of the snapshot.
  static func load(
    _ policy: Policy,
    _ zones: any TimeZoneSource,
    _ tx: borrowing ReadTransaction
  ) throws -> Forest {
    var forest = Forest(policy: policy, zones: zones)
    try loadEntities(into: &forest, tx)
    if let entity = forest.unrootedEntity {
      throw tx.damage("\(entity) has no parent, is nested too deeply, or is below itself")
    }
    for definition in try RoleDefinitionTable.all(in: tx) {
      guard let row = definition.row(policy), forest.entity(row.root) != nil else { continue }
      forest.apply(.putVariant(row))
    }
    try loadAssociations(into: &forest, tx)
    try loadLinks(into: &forest, tx)
    try loadSuspensions(into: &forest, tx)
    forest.revision = try tx.newestRevision()
    return forest
  }

  private static func loadEntities(
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws {
    try forEachPage(of: EntityRecord.columns, by: "id", \.id, tx) { page in
      for record in page where record.id != Forest.systemIdentifier {
        guard let row = record.row(forest.policy) else {
          throw PolicyError([
            .init(path: "types", problem: "lacks \(record.type), of which the store has entities")
          ])
        }
        forest.load(row)
      }
    }
  }

  private static func loadAssociations(
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws {
    try forEachPage(of: AssociationRecord.columns, by: "a.id", \.id, tx) { page in
      for record in page {
        guard let row = record.row(forest.policy), forest.entity(row.entity) != nil else {
          continue
        }
        forest.apply(.putAssociation(row))
      }
    }
    var last = ""
    while true {
      let page = try TakenAssociationTable.all(after: last, limit: Int(pageSize), in: tx)
      for record in page {
        guard let row = record.row(forest.policy), forest.entity(row.entity) != nil else {
          continue
        }
        forest.apply(.putAssociation(row))
      }
      guard let end = page.last else { return }
      last = end.id
    }
  }

  /// Reads a table in the order of a column.
  private static func forEachPage<Record>(
    of columns: RecordColumns<Record>,
    by column: String,
    _ id: KeyPath<Record, String>,
    _ tx: borrowing ReadTransaction,
    _ body: ([Record]) throws -> Void
  ) throws {
    let condition = "WHERE \(column) > ? ORDER BY \(column) LIMIT ?"
    var last = ""
    while true {
      let page = try tx.query(columns, condition, .text(last), .integer(pageSize))
      guard let end = page.last else { return }
      last = end[keyPath: id]
      try body(page)
    }
  }

  private static func loadSuspensions(
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws {
    for user in try tx.query("SELECT user_id FROM suspension", row: { $0.text(0) }) {
      forest.apply(.setSuspended(user, true))
    }
  }

  private static func loadLinks(
    into forest: inout Forest,
    _ tx: borrowing ReadTransaction
  ) throws {
    let links = try tx.query("SELECT link, from_id, to_id FROM entity_link") {
      ($0.text(0), $0.text(1), $0.text(2))
    }
    for (name, from, to) in links {
      guard let link = forest.policy.link(named: name), forest.entity(from) != nil,
        forest.entity(to) != nil
      else { continue }
      forest.apply(.putLink(LinkRow(link: link, from: from, to: to)))
    }
  }
}
