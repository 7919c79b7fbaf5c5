internal import AccessEngine
internal import ServiceKit

/// Reads single trees of the store, and where they are.
enum TreeReader {
  /// The root of the tree of an entity; nil when there is no such entity.
  static func root(of entityID: String, in tx: borrowing ReadTransaction) throws -> String? {
    try tx.first("SELECT root_id FROM entity WHERE id = ?", .text(entityID)) { $0.text(0) }
  }

  /// The tree of an entity; nil when there is no such entity.
  ///
  /// It is large if it has more than `count` entities.
  static func tree(
    of entityID: String,
    largeBeyond count: Int,
    in tx: borrowing ReadTransaction
  ) throws -> TreeSize? {
    try tx.first(
      """
      SELECT root_id, (
        SELECT other.id FROM entity other WHERE other.root_id = entity.root_id LIMIT 1 OFFSET ?)
      FROM entity WHERE id = ?
      """,
      .integer(count),
      .text(entityID)
    ) { TreeSize(root: $0.text(0), isLarge: $0.optionalText(1) != nil) }
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
    let given = try tx.query(AssociationRecord.columns, "WHERE e.root_id = ?", .text(root))
    let taken = try TakenAssociationTable.all(below: root, in: tx)
    return try records(of: root, roles: given + taken, in: tx).checkedRows(under: policy, in: tx)
  }

  /// A tree with some of the roles in it, at the newest revision of the snapshot.
  static func records(
    of root: String,
    roles: [AssociationRecord],
    in tx: borrowing ReadTransaction
  ) throws -> StoredTree {
    StoredTree(
      root: root,
      revision: try tx.newestRevision(),
      entities: try tx.query(EntityRecord.columns, "WHERE root_id = ?", .text(root)),
      associations: roles,
      links: try tx.query(
        """
        SELECT l.link, l.from_id, l.to_id FROM entity e JOIN entity_link l ON l.from_id = e.id
        WHERE e.root_id = ?
        """,
        .text(root)
      ) { ($0.text(0), $0.text(1), $0.text(2)) },
      definitions: try RoleDefinitionTable.all(of: root, in: tx)
    )
  }

  /// The part of a tree that one decision rests on: an entity, what is above it, what is linked to it with all above
  /// that, and the roles of one user there; nil when there is no such entity.
  static func records(
    around id: String,
    of userID: String,
    in tx: borrowing ReadTransaction
  ) throws -> StoredTree? {
    var entities: [String: EntityRecord] = [:]
    let links = try LinkTable.links(to: id, in: tx)
    for start in [id] + links.map(\.from) {
      var next = start
      while next != Forest.systemIdentifier, entities[next] == nil,
        let record = try EntityTable.all([next], in: tx).first
      {
        entities[next] = record
        next = record.parentID
      }
    }
    guard let entity = entities[id] else { return nil }
    return StoredTree(
      root: entity.rootID,
      revision: try tx.newestRevision(),
      entities: Array(entities.values),
      associations: try roles(of: userID, inTree: entity.rootID, in: tx),
      links: links,
      definitions: try RoleDefinitionTable.all(of: entity.rootID, in: tx)
    )
  }

  /// The roles of a user in a tree and on the system, taken ones among them.
  static func roles(
    of userID: String,
    inTree root: String,
    in tx: borrowing ReadTransaction
  ) throws -> [AssociationRecord] {
    let given = try tx.query(
      AssociationRecord.columns,
      "WHERE a.user_id = ? AND (e.root_id = ? OR a.entity_id = ?)",
      .text(userID),
      .text(root),
      .text(Forest.systemIdentifier)
    )
    return given + (try TakenAssociationTable.all(of: userID, in: tx).filter { $0.rootID == root })
  }

  /// Whether a tree has more entities than a number.
  static func isLarger(
    _ root: String,
    than count: Int,
    in tx: borrowing ReadTransaction
  ) throws -> Bool {
    try tx.first(
      "SELECT id FROM entity WHERE root_id = ? LIMIT 1 OFFSET ?",
      .text(root),
      .integer(count)
    ) { $0.text(0) } != nil
  }
}

/// A tree, and whether it is a large one.
struct TreeSize: Sendable {
  let root: String
  let isLarge: Bool
}
