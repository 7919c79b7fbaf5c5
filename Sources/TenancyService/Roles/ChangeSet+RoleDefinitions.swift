internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Tenant-defined roles.
extension ChangeSet {
  /// Throws unless the caller may define tenant-defined roles; `id` is the tenant.
  ///
  /// Who only deletes needs no feature: a plan that ended must not keep anybody from tidying up.
  func requireDefining(
    on id: String,
    onlyDeletes: Bool = false,
    _ tx: borrowing some Queryable
  ) throws -> HeldEntity {
    let held = try core.require(.defineRoles, on: id, user, needsFeatures: !onlyDeletes, tx)
    guard held.record.rootID == held.record.id else {
      throw ErrorCatalog.tenancy.invalid(
        "entity_id",
        "NOT_A_TENANT",
        "must be the uppermost entity of its tree"
      )
    }
    return held
  }

  /// Adds a tenant-defined role, or gives it other actions; one that is there as given stays.
  ///
  /// ABORTED when it is not as the caller has seen it.
  func define(
    _ draft: RoleDefinitionRecord,
    expectedRevision: String = "",
    _ tx: borrowing WriteTransaction
  ) throws -> RoleDefinitionRecord {
    try checkRole(draft)
    guard let base = policy.role(named: draft.baseRole) else {
      throw RoleError.unknown("base_role")
    }
    try checkActions(draft, base)
    try requireGiven(draft.actions, base, isAll: true, in: draft.rootID, until: .max, tx)
    let before = try RoleDefinitionTable.find(draft.name, of: draft.rootID, in: tx)
    try core.requireRevision(expectedRevision, being: before?.revision)
    var record = before ?? draft
    guard record.baseRole == draft.baseRole else {
      throw ErrorCatalog.tenancy.invalid("base_role", "ROLE_INVALID", "cannot be changed later")
    }
    if let before, before.actions == draft.actions { return before }
    if before == nil {
      guard
        try RoleDefinitionTable.all(of: draft.rootID, in: tx).count < RoleDefinitionRecord.countMax
      else {
        throw RoleError.tooMany
      }
      record.id = core.identifiers.make(.roleDefinition)
      record.createdAt = tx.now
    }
    (record.actions, record.definedBy) = (draft.actions, user.userID)
    record = try RoleDefinitionTable.put(record, policy, in: tx)
    try tx.audit("role_definition.put", from: before, to: record)
    return record
  }

  /// Removes a tenant-defined role; HAS_DEPENDENTS while somebody has it.
  func removeDefinition(
    _ record: RoleDefinitionRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let count = try AssociationTable.count(of: record, in: tx)
    guard count == 0 else { throw RoleError.held(record.name, count: count) }
    try giveBackTaken(variant: record.id, of: record.rootID, tx)
    let revision = try RoleDefinitionTable.remove(record, policy, in: tx)
    try tx.audit("role_definition.delete", from: record)
    return revision
  }

  /// Removes all tenant-defined roles of a tenant, which goes.
  func removeDefinitions(of rootID: String, _ tx: borrowing WriteTransaction) throws {
    for record in try RoleDefinitionTable.all(of: rootID, in: tx) {
      _ = try removeDefinition(record, tx)
    }
  }

  /// Throws unless the caller has all that it would give somebody by a tenant-defined role, beyond what
  /// the role of the policy gives; nor for longer, where somebody must always have what it gives.
  func requireGiven(
    _ role: String,
    _ own: RoleDefinitionRecord?,
    on entity: EntityRecord,
    during window: RoleWindow = .unlimited,
    by action: String? = nil,
    _ tx: borrowing WriteTransaction
  ) throws {
    let definition = try own ?? RoleDefinitionTable.find(role, of: entity.rootID, in: tx)
    try requireLastingGiver(of: role, definition, by: action, on: entity, during: window, tx)
    guard let definition, let base = policy.role(named: definition.baseRole) else { return }
    try requireGiven(
      definition.actions,
      base,
      isAll: false,
      in: entity.rootID,
      until: window.until ?? .max,
      tx
    )
  }

  private func requireGiven(
    _ actions: [String],
    _ base: RoleID,
    isAll: Bool,
    in rootID: String,
    until: Int64,
    _ tx: borrowing WriteTransaction
  ) throws {
    // Who can give roles that somebody must have gives that for no longer than they have it.
    let lasting = policy.keptGrantingActions
    // What memory says of the caller must not have been changed by an earlier write of this commit.
    try tx.rely(on: .policy)
    try tx.rely(on: .suspension(of: user.userID))
    try tx.rely(on: .roles(of: user.userID, on: rootID))
    try tx.rely(on: .roles(of: user.userID, on: Forest.systemIdentifier))
    let (userID, now) = (user.userID, tx.now)
    let lacking = try core.engine.read { forest in
      actions.first { name in
        guard let action = forest.policy.action(named: name) else { return false }
        return forest.policy.types(knowing: action, reachedBy: base).contains { type in
          let isGiven = forest.policy.rule(of: action, on: type)?.grants.contains(base) == true
          return (isAll || !isGiven)
            && !forest.mayGive(
              action,
              on: type,
              in: rootID,
              subject: userID,
              now: now,
              until: lasting.contains(name) ? until : nil
            )
        }
      }
    }
    if let lacking { throw RoleError.exceedsOwn(lacking) }
  }

  private func checkRole(_ draft: RoleDefinitionRecord) throws(RPCError) {
    guard policy.role(named: draft.baseRole) != nil else {
      throw RoleError.unknown("base_role")
    }
    guard draft.replacesBase || policy.role(named: draft.name) == nil else {
      throw ErrorCatalog.tenancy.invalid(
        "name",
        "ROLE_INVALID",
        "is that of another role of the policy; use another one, or that of base_role to replace it"
      )
    }
    let base = policy.role(named: draft.baseRole).map { policy[$0] }
    // A tenant whose last owner can do nothing would be nobody's.
    guard base?.isOneKept != true, base?.heldOn.contains(.system) != true else {
      throw ErrorCatalog.tenancy.invalid(
        "base_role",
        "ROLE_INVALID",
        "is a role of operators or a required role; use another one"
      )
    }
  }

  private func checkActions(
    _ draft: RoleDefinitionRecord,
    _ base: RoleID
  ) throws(RPCError) {
    for (index, name) in draft.actions.enumerated() {
      guard let action = policy.action(named: name),
        !policy.types(knowing: action, reachedBy: base).isEmpty
      else {
        throw ErrorCatalog.tenancy.invalid(
          "actions[\(index)]",
          "ACTION_UNKNOWN",
          "is not an action of anything that \(draft.baseRole) reaches"
        )
      }
    }
  }
}
