internal import ServiceKit

/// The subtree of an entity, counted and moved by the store instead of being read.
extension EntityTable {
  /// How many entities of each type there are at or below one, by type.
  static func typeCounts(
    within id: String,
    in tx: borrowing some Queryable
  ) throws -> [(type: String, count: Int)] {
    try tx.query(
      """
      \(Subtree.with)
      SELECT type, count(*) FROM entity WHERE id IN (SELECT id FROM below)
      GROUP BY type ORDER BY type
      """,
      .text(id)
    ) { ($0.text(0), Int($0.integer(1))) }
  }

  /// Says which tree an entity and everything below it belong to from now on.
  static func setRoot(_ rootID: String, below id: String, in tx: borrowing WriteTransaction) throws
  {
    try AssociationHistoryTable.move(to: rootID, Subtree.with, values: [.text(id)], in: tx)
    try tx.execute(
      "\(Subtree.with) UPDATE entity SET root_id = ? WHERE id IN (SELECT id FROM below)",
      .text(id),
      .text(rootID)
    )
    try tx.execute(
      "\(Subtree.with) UPDATE invitation SET root_id = ? WHERE entity_id IN (SELECT id FROM below)",
      .text(id),
      .text(rootID)
    )
  }
}

enum Subtree {
  /// The identifiers of an entity, the first value of the statement, and all below it.
  static let with = """
    WITH RECURSIVE below (id) AS (
      SELECT id FROM entity WHERE id = ?
      UNION ALL SELECT entity.id FROM entity JOIN below ON entity.parent_id = below.id
    )
    """
}
