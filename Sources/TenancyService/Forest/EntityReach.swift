internal import ServiceKit

/// From where roles reach an entity, as the store has it.
struct EntityReach: Sendable {
  /// The entity and everything above it, nearest first.
  let path: [String]
  /// Links to it, by name, and what they come from.
  let links: [(name: String, from: String)]

  /// Whether a role on an entity can reach this one.
  func includes(_ id: String) -> Bool { path.contains(id) || links.contains { $0.from == id } }
}

extension EntityTable {
  /// From where roles reach an entity.
  static func reach(of id: String, in tx: borrowing some Queryable) throws -> EntityReach {
    EntityReach(
      path: try tx.query(
        """
        WITH RECURSIVE above (id, parent_id, level) AS (
          SELECT id, parent_id, 0 FROM entity WHERE id = ?
          UNION ALL
          SELECT entity.id, entity.parent_id, above.level + 1
          FROM entity JOIN above ON entity.id = above.parent_id
        )
        SELECT id FROM above ORDER BY level
        """,
        .text(id)
      ) { $0.text(0) },
      links: try tx.query("SELECT link, from_id FROM entity_link WHERE to_id = ?", .text(id)) {
        ($0.text(0), $0.text(1))
      }
    )
  }
}
