internal import AccessEngine
internal import ServiceKit

/// Reads single trees of the store, and where they are.
enum TreeReader {
  /// The root of the tree of an entity; nil when there is no such entity.
  static func root(of entityID: String, in tx: borrowing ReadTransaction) throws -> String? {
    try tx.first("SELECT root_id FROM entity WHERE id = ?", .text(entityID)) { $0.text(0) }
  }

  /// The roots of the trees in which a user has roles, taken ones among them.
  static func roots(ofUser userID: String, in tx: borrowing ReadTransaction) throws -> [String] {
    try tx.query(
      """
      SELECT e.root_id FROM association a JOIN entity e ON e.id = a.entity_id WHERE a.user_id = ?
      UNION
      SELECT e.root_id FROM invitation i JOIN entity e ON e.id = i.entity_id
      WHERE i.taken_by = ? AND i.taken_by <> '' AND i.state = 'pending'
      """,
      .text(userID),
      .text(userID)
    ) { $0.text(0) }
    .filter { $0 != Forest.systemIdentifier }
  }

  /// The roots of all trees after one, in their order.
  static func roots(
    after root: String,
    limit: Int,
    in tx: borrowing ReadTransaction
  ) throws -> [String] {
    try tx.query(
      "SELECT id FROM entity WHERE parent_id = ? AND id > ? ORDER BY id LIMIT ?",
      .text(Forest.systemIdentifier),
      .text(root),
      .integer(Int64(limit))
    ) { $0.text(0) }
  }

  /// All rows of a tree, at the newest revision of the snapshot.
  static func read(
    _ root: String,
    _ policy: Policy,
    in tx: borrowing ReadTransaction
  ) throws -> TreeRows {
    let entities = try tx.query(EntityRecord.columns, "WHERE root_id = ?", .text(root))
    let associations = try tx.query(
      AssociationRecord.columns,
      "WHERE e.root_id = ?",
      .text(root)
    )
    let taken = try TakenAssociationTable.all(below: root, in: tx)
    let links = try tx.query(
      """
      SELECT l.link, l.from_id, l.to_id FROM entity e JOIN entity_link l ON l.from_id = e.id
      WHERE e.root_id = ?
      """,
      .text(root)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
    let rows = TreeRows(
      root: root,
      revision: try tx.newestRevision(),
      entities: try entities.map { record in
        guard let row = record.row(policy) else {
          throw tx.damage("\(record.id) is of type \(record.type), which the policy lacks")
        }
        return row
      },
      variants: try RoleDefinitionTable.all(of: root, in: tx).compactMap { $0.row(policy) },
      associations: (associations + taken).compactMap { $0.row(policy) },
      links: links.compactMap { name, from, to in
        policy.link(named: name).map { LinkRow(link: $0, from: from, to: to) }
      }
    )
    if let entity = rows.unrootedEntity {
      throw tx.damage("\(entity) has no parent, is nested too deeply, or is below itself")
    }
    return rows
  }
}
