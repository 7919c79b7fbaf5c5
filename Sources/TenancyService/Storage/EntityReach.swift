internal import AccessEngine
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

extension StoreTransaction where Self: ~Copyable {
  /// From where roles reach an entity.
  func reach(of id: String) throws -> EntityReach {
    EntityReach(
      path: try query(
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
      links: try query("SELECT link, from_id FROM entity_link WHERE to_id = ?", .text(id)) {
        ($0.text(0), $0.text(1))
      }
    )
  }
}

extension StoreTransaction where Self: ~Copyable {
  /// Throws unless an entity, with all that is below it, can be under another one: not below itself,
  /// and nothing too deep.
  ///
  /// By the store, which knows what earlier writes of the same commit have moved.
  func requirePlace(for id: String?, under parentID: String) throws {
    let path = try reach(of: parentID).path
    guard id.map(path.contains) != true else { throw TenancyError.belowItself }
    // The path ends with the system, which is not counted.
    let height = try id.map { try levelCount(from: $0) } ?? 1
    guard path.count - 1 + height <= Forest.depthMax else { throw TenancyError.tooDeep }
  }

  /// Levels of the tree that begins at an entity; 1 when nothing is below it.
  private func levelCount(from id: String) throws -> Int {
    try first(
      """
      WITH RECURSIVE below (id, level) AS (
        SELECT id, 1 FROM entity WHERE id = ?
        UNION ALL
        SELECT entity.id, below.level + 1 FROM entity JOIN below ON entity.parent_id = below.id
      )
      SELECT max(level) FROM below
      """,
      .text(id)
    ) { Int($0.integer(0)) } ?? 1
  }
}
