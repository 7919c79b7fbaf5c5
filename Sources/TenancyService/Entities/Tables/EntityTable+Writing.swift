internal import AccessEngine
internal import ServiceKit

/// Everything that TenancyService changes, each change with its entry in the change log.
///
/// A function of the transaction and the policy; the last revision it gave is the revision token's.
extension WriteTransaction {
  private func log(
    _ change: ForestChange,
    subject: String,
    scope: String,
    touching keys: [ConflictKey],
    _ policy: Policy
  ) throws -> Int64 {
    // Another one may lack what the change speaks of.
    try rely(on: .policy)
    return try appendChange(
      kind: change.kind,
      subject: subject,
      scope: scope,
      payload: change.payload(policy),
      touching: keys
    )
  }

  /// Adds an entity, or changes the one that was `before`; the record as it is now.
  ///
  /// Throws what `requirePlace` does when it may not be where it is to be.
  func put(
    _ record: EntityRecord,
    insteadOf before: EntityRecord?,
    _ policy: Policy
  ) throws -> EntityRecord {
    try rely(on: .policy)
    guard policy.type(named: record.type) != nil else {
      preconditionFailure("an entity of type \(record.type), which the policy does not have")
    }
    try requirePlace(of: record, insteadOf: before, policy)
    if let before, before.rootID != record.rootID { try requireNoVariants(of: before) }
    let keys = Self.touched(by: record, insteadOf: before, policy)
    var record = record
    let payload = record.changePayload
    record.updatedAt = now
    record.revision = try appendChange(
      kind: ForestChange.entityKind,
      subject: record.id,
      scope: record.rootID,
      payload: payload,
      touching: keys
    )
    if before == nil {
      try execute(
        "INSERT INTO entity (\(EntityRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        .text(record.id),
        .text(record.type),
        .text(record.parentID),
        .text(record.rootID),
        .text(record.name),
        .text(record.attributesText),
        .text(record.desiredState),
        .integer(record.revision),
        .integer(record.createdAt),
        .integer(record.updatedAt)
      )
    } else {
      if before?.changePayload != payload { try keepPast(entity: record.id) }
      try execute(
        """
        UPDATE entity SET parent_id = ?, root_id = ?, name = ?, attributes = ?, desired_state = ?,
          revision = ?, updated_at = ?,
          placed_at = CASE parent_id WHEN ? THEN placed_at ELSE ? END
        WHERE id = ?
        """,
        .text(record.parentID),
        .text(record.rootID),
        .text(record.name),
        .text(record.attributesText),
        .text(record.desiredState),
        .integer(record.revision),
        .integer(record.updatedAt),
        .text(record.parentID),
        .integer(now),
        .text(record.id)
      )
    }
    return record
  }

  /// A role of a tenant's own stays in its tenant, and so does whoever has it.
  private func requireNoVariants(of record: EntityRecord) throws {
    guard try !hasVariants(within: record.id),
      try record.rootID != record.id || roleDefinitions(of: record.id).isEmpty
    else { throw TenancyError.roleOfTenant }
  }

  /// What decisions cannot rely on any more; nothing when only people see the difference.
  private static func touched(
    by record: EntityRecord,
    insteadOf before: EntityRecord?,
    _ policy: Policy
  ) -> [ConflictKey] {
    guard let before else { return [.entity(record.id), .children(of: record.parentID)] }
    let isAlike =
      before.parentID == record.parentID
      && before.row(policy)?.codes == record.row(policy)?.codes
    guard !isAlike else { return [] }
    return [
      .entity(record.id), .children(of: record.parentID), .children(of: before.parentID),
    ]
  }

  /// Deletes an entity that has no children and nothing refers to any more.
  func remove(_ record: EntityRecord, _ policy: Policy) throws -> Int64 {
    try keepPast(entity: record.id)
    try execute("DELETE FROM entity WHERE id = ?", .text(record.id))
    try Tombstone.insert(of: record, self)
    return try log(
      .removeEntity(record.id),
      subject: record.id,
      scope: record.rootID,
      touching: [.entity(record.id), .children(of: record.parentID)],
      policy
    )
  }

  /// Adds an association, or changes its window and who answers for it.
  func put(_ record: AssociationRecord, _ policy: Policy) throws -> Int64 {
    try rely(on: .policy)
    guard let row = record.row(policy) else {
      preconditionFailure("an association of role \(record.role), which the policy does not have")
    }
    let revision = try log(
      .putAssociation(row),
      subject: record.userID,
      scope: record.rootID,
      touching: Self.touched(by: record),
      policy
    )
    try execute(
      """
      INSERT INTO association (id, user_id, entity_id, role, valid_from, valid_until, granted_by,
        created_at, added, recurring, variant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET valid_from = excluded.valid_from,
        valid_until = excluded.valid_until, granted_by = excluded.granted_by,
        recurring = excluded.recurring
      """,
      .text(record.id),
      .text(record.userID),
      .text(record.entityID),
      .text(record.role),
      .optionalInteger(record.validFrom),
      .optionalInteger(record.validUntil),
      .text(record.grantedBy),
      .integer(record.createdAt),
      .integer(revision),
      .optionalText(record.recurring?.storedText),
      .text(record.variant)
    )
    try beginHistory(of: record)
    return revision
  }

  /// Removes an association.
  func remove(_ record: AssociationRecord, _ policy: Policy) throws -> Int64 {
    try execute("DELETE FROM association WHERE id = ?", .text(record.id))
    let revision = try log(
      .removeAssociation(record.id),
      subject: record.userID,
      scope: record.rootID,
      touching: Self.touched(by: record),
      policy
    )
    try endHistory(of: record.id)
    return revision
  }

  private static func touched(by record: AssociationRecord) -> [ConflictKey] {
    [.roles(of: record.userID, on: record.entityID), .roles(of: record.userID)]
  }

  /// Replaces what an entity is linked to.
  func setLinks(
    _ link: LinkID,
    from record: EntityRecord,
    to targets: [String],
    _ policy: Policy
  ) throws {
    let name = policy[link].name
    let before = try linkTargets(name, from: record.id)
    for target in before where !targets.contains(target) {
      try removeLink(link, from: record.id, to: target, scope: record.rootID, policy)
    }
    for (place, target) in targets.enumerated() {
      try execute(
        """
        INSERT INTO entity_link (link, from_id, to_id, place, began_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (link, from_id, to_id) DO UPDATE SET place = excluded.place
        """,
        .text(name),
        .text(record.id),
        .text(target),
        .integer(place),
        .integer(now)
      )
      guard !before.contains(target) else { continue }
      let row = LinkRow(link: link, from: record.id, to: target)
      _ = try log(
        .putLink(row),
        subject: target,
        scope: record.rootID,
        touching: [.links(to: target)],
        policy
      )
    }
  }

  /// Removes every link from or to an entity.
  func removeLinks(of id: String, scope: String, _ policy: Policy) throws {
    let links = try query(
      "SELECT link, from_id, to_id FROM entity_link WHERE from_id = ? OR to_id = ?",
      .text(id),
      .text(id)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
    for link in links { try removeLink(link, scope: scope, policy) }
  }

  /// Removes a link, unless the policy has none of its kind any more.
  func removeLink(
    _ link: (name: String, from: String, to: String),
    scope: String,
    _ policy: Policy
  ) throws {
    guard let id = policy.link(named: link.name) else { return }
    try removeLink(id, from: link.from, to: link.to, scope: scope, policy)
  }

  private func removeLink(
    _ link: LinkID,
    from: String,
    to: String,
    scope: String,
    _ policy: Policy
  ) throws {
    try keepPast(link: policy[link].name, from: from, to: to)
    try execute(
      "DELETE FROM entity_link WHERE link = ? AND from_id = ? AND to_id = ?",
      .text(policy[link].name),
      .text(from),
      .text(to)
    )
    let row = LinkRow(link: link, from: from, to: to)
    _ = try log(
      .removeLink(row),
      subject: to,
      scope: scope,
      touching: [.links(to: to)],
      policy
    )
  }
}
