internal import ServiceKit

/// The subtree of an entity, counted and moved by the store instead of being read.
extension StoreTransaction where Self: ~Copyable {
  /// How many entities of each type there are at or below one, by type.
  func typeCounts(within id: String) throws -> [(type: String, count: Int)] {
    try query(
      """
      \(Subtree.with)
      SELECT type, count(*) FROM entity WHERE id IN below GROUP BY type ORDER BY type
      """,
      .text(id)
    ) { ($0.text(0), Int($0.integer(1))) }
  }

  /// Links with one end at or below an entity, and the other end elsewhere.
  func links(crossing id: String) throws -> [(name: String, from: String, to: String)] {
    try query(
      """
      \(Subtree.with)
      SELECT link, from_id, to_id FROM entity_link WHERE from_id IN below AND to_id NOT IN below
      UNION ALL
      SELECT link, from_id, to_id FROM entity_link WHERE to_id IN below AND from_id NOT IN below
      """,
      .text(id)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
  }
}

extension WriteTransaction {
  /// Says which tree an entity and everything below it belong to from now on.
  func setRoot(_ rootID: String, below id: String) throws {
    try moveHistory(to: rootID, Subtree.with, values: [.text(id)])
    try execute(
      "\(Subtree.with) UPDATE entity SET root_id = ? WHERE id IN below",
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
