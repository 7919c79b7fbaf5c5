internal import AccessEngine
internal import ServiceKit

/// Where an entity may be, checked by each write that puts one somewhere.
extension EntityTable {
  /// Throws unless an entity may be directly below its parent: the policy allows it, the parent is not
  /// the entity itself or below it, and nothing gets too deep.
  ///
  /// Reads the store, not the forest in memory: the store has what earlier writes of the same commit, and
  /// this one, have made and moved. So of two writes that move entities below each other the second one
  /// is refused.
  static func requirePlace(
    of record: EntityRecord,
    insteadOf before: EntityRecord?,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws {
    guard before?.parentID != record.parentID else { return }
    let above = try placesAbove(record.parentID, in: tx)
    guard let parent = above.first, let parentType = policy.type(named: parent.type),
      let type = policy.type(named: record.type)
    else { throw TenancyError.notFound }
    guard policy[type].parents.contains(parentType) else {
      throw PlaceError.parentNotAllowed(record.type, under: parent.type)
    }
    guard !above.contains(where: { $0.id == record.id }) else { throw PlaceError.belowItself }
    // The last one above is the system, which is not counted.
    let levels = before == nil ? 1 : try levelCount(from: record.id, in: tx)
    guard above.count - 1 + levels <= Forest.depthMax else { throw PlaceError.tooDeep }
  }

  /// An entity and everything above it, nearest first.
  private static func placesAbove(
    _ id: String,
    in tx: borrowing WriteTransaction
  ) throws -> [(id: String, type: String)] {
    // Known without asking, and asked for by every root that is made.
    if id == Forest.systemIdentifier { return [(id, BuiltIn.system)] }
    return try tx.query(
      """
      WITH RECURSIVE above (id, type, parent_id, level) AS (
        SELECT id, type, parent_id, 0 FROM entity WHERE id = ?1
        UNION ALL
        SELECT entity.id, entity.type, entity.parent_id, above.level + 1
        FROM entity JOIN above ON entity.id = above.parent_id WHERE above.level < ?2
      )
      SELECT id, type FROM above ORDER BY level
      """,
      .text(id),
      .integer(Forest.depthMax + 1)
    ) { ($0.text(0), $0.text(1)) }
  }

  /// Levels of the tree that begins at an entity; 1 when nothing is below it.
  private static func levelCount(from id: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.first(
      """
      WITH RECURSIVE below (id, level) AS (
        SELECT id, 1 FROM entity WHERE id = ?1
        UNION ALL
        SELECT entity.id, below.level + 1 FROM entity JOIN below ON entity.parent_id = below.id
        WHERE below.level <= ?2
      )
      SELECT max(level) FROM below
      """,
      .text(id),
      .integer(Forest.depthMax)
    ) { Int($0.integer(0)) } ?? 1
  }
}
