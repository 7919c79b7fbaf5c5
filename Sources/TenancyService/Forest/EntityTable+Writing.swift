internal import AccessEngine
internal import ServiceKit

/// Changes of entities, each with its entry in the change log.
extension EntityTable {
  /// Adds an entity, or changes the one that was `before`; the record as it is now.
  ///
  /// Throws what `requirePlace` does when it may not be where it is to be. A report of a device leaves revision and
  /// time of the last change as they are: both are for those who write.
  static func put(
    _ record: EntityRecord,
    insteadOf before: EntityRecord?,
    _ policy: Policy,
    isReport: Bool = false,
    in tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    try tx.rely(on: .policy)
    guard policy.type(named: record.type) != nil else {
      preconditionFailure("an entity of type \(record.type), which the policy does not have")
    }
    try requirePlace(of: record, insteadOf: before, policy, in: tx)
    if let before, before.rootID != record.rootID { try requireNoVariants(of: before, in: tx) }
    let keys = touched(by: record, insteadOf: before, policy)
    var record = record
    let payload = record.changePayload
    if let before, before.parentID != record.parentID {
      _ = try tx.appendChange(
        kind: ForestChange.leftKind,
        subject: before.id,
        scope: before.rootID,
        payload: ForestChange.payload(leaving: before.parentID, before.id)
      )
    }
    let revision = try tx.appendChange(
      kind: ForestChange.entityKind,
      subject: record.id,
      scope: record.rootID,
      payload: before == nil ? record.creationPayload : payload,
      touching: keys
    )
    if !isReport { (record.updatedAt, record.revision) = (tx.now, revision) }
    if before == nil {
      try tx.insert(record, EntityRecord.columns)
    } else {
      if before?.changePayload != payload { try keepPast(entity: record.id, in: tx) }
      if before?.parentID != record.parentID {
        try tx.execute(
          "UPDATE entity SET placed_at = ? WHERE id = ?",
          .integer(tx.now),
          .text(record.id)
        )
      }
      try tx.update(record, EntityRecord.change, .text(record.id))
    }
    return record
  }

  /// A tenant-defined role stays in its tenant, and so does anyone who has it.
  private static func requireNoVariants(
    of record: EntityRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    guard try !AssociationTable.hasVariants(within: record.id, in: tx),
      try record.rootID != record.id || RoleDefinitionTable.all(of: record.id, in: tx).isEmpty
    else { throw PlaceError.roleOfTenant }
  }

  /// The keys that decisions can no longer rely on; none when only people see the difference.
  private static func touched(
    by record: EntityRecord,
    insteadOf before: EntityRecord?,
    _ policy: Policy
  ) -> [ConflictKey] {
    guard let before else {
      return [.entity(record.id), .creation(of: record.id), .children(of: record.parentID)]
    }
    let isAlike =
      before.parentID == record.parentID
      && before.row(policy)?.codes == record.row(policy)?.codes
    guard !isAlike else { return [] }
    return [
      .entity(record.id), .children(of: record.parentID), .children(of: before.parentID),
    ]
  }

  /// Deletes an entity that has no children and nothing refers to.
  static func remove(
    _ record: EntityRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try keepPast(entity: record.id, in: tx)
    try tx.execute("DELETE FROM entity WHERE id = ?", .text(record.id))
    try TombstoneTable.insert(of: record, in: tx)
    // Another one may lack the type.
    try tx.rely(on: .policy)
    return try tx.appendChange(
      kind: ForestChange.removedKind,
      subject: record.id,
      scope: record.rootID,
      payload: ForestChange.payload(leaving: record.parentID, record.id),
      touching: [.entity(record.id), .children(of: record.parentID)]
    )
  }

  /// Keeps an entity as it is, if it is there, for questions about the past.
  private static func keepPast(entity id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO past_entity (id, type, parent_id, name, attributes, created_at, ended_at)
      SELECT id, type, parent_id, name, attributes, created_at, ? FROM entity WHERE id = ?
      """,
      .integer(tx.now),
      .text(id)
    )
  }
}
