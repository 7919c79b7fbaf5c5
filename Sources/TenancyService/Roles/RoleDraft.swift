internal import AccessEngine
internal import RPCKit
internal import ServiceKit

struct RoleDraft: Sendable {
  /// As the policy has it.
  var role: String
  /// The tenant's own role of which that is the base.
  var definition: RoleDefinitionRecord?
  let entityID: String
  let user: NamedUser
  let window: RoleWindow
  /// Also when the user has the role for another time.
  let replacesWindow: Bool
  /// Where it stands in the request; empty when its fields are the request's own.
  let field: String

  /// A role of the policy, or of the tenant's own, for a user.
  init(
    role: String,
    on entityID: String,
    to userID: String,
    during window: RoleWindow,
    replacesWindow: Bool
  ) {
    (self.role, self.entityID, user) = (role, entityID, .id(userID))
    (self.window, self.replacesWindow, field) = (window, replacesWindow, "")
  }

  /// INVALID_ARGUMENT for a role that the policy does not have, or a window that it does not allow.
  func check(_ policy: Policy, zones: TimeZoneCache, now: Int64) throws(RPCError) {
    guard let role = policy.role(named: role).map({ policy[$0] }) else {
      throw RoleError.unknown(path("role"))
    }
    try checkRecurring(role, zones)
    let path = path("valid_until")
    guard let until = window.until else {
      guard !role.isWindowRequired else {
        throw ErrorCatalog.tenancy.invalid(path, "WINDOW_REQUIRED", "is required for \(role.name)")
      }
      return
    }
    let from = window.from ?? now
    guard until > from, until > now else {
      throw RoleError.windowInvalid(path, until: until, from: window.from)
    }
    guard until - from <= role.windowMax else {
      throw RoleError.windowTooLong(path, max: role.windowMax, from: window.from)
    }
  }

  /// A field of it, as the request names it.
  private func path(_ name: String) -> String { fieldPath(field, name) }

  private func checkRecurring(_ role: Policy.Role, _ zones: TimeZoneCache) throws(RPCError) {
    let path = path("recurring")
    guard let recurring = window.recurring else {
      guard !role.isRecurringRequired else {
        throw ErrorCatalog.tenancy.invalid(path, "WINDOW_REQUIRED", "is required for \(role.name)")
      }
      return
    }
    // The last one who has such a role must always be able to act.
    guard !role.isOneKept else {
      throw ErrorCatalog.tenancy.invalid(
        path,
        "WINDOW_INVALID",
        "must be absent for \(role.name), which is a required role"
      )
    }
    guard zones.rules(ofWindowIn: recurring.timeZone) != nil else {
      throw ErrorCatalog.tenancy.invalid(
        "\(path).time_zone",
        "TIME_ZONE_UNKNOWN",
        "is not installed on this server; use an IANA name like Europe/Berlin, or install tzdata"
      )
    }
  }
}

/// The place of a field in a request: `roles[2].role`, or only `role` when it is the request's own.
private func fieldPath(_ parent: String, _ name: String) -> String {
  parent.isEmpty ? name : "\(parent).\(name)"
}

extension ChangeSet {
  /// Throws unless the caller may grant a role, in the window that it is to have.
  func requireGrant(
    _ draft: RoleDraft,
    now: Int64,
    _ tx: borrowing some Queryable
  ) throws -> (draft: RoleDraft, held: HeldEntity) {
    let draft = try resolved(draft, tx)
    try draft.check(policy, zones: core.zones, now: now)
    let held = try requireRole(draft.role, .grant, on: draft.entityID, field: draft.field, tx)
    // Nobody lends for longer than they have themselves.
    if policy.followingRoles.contains(draft.role) {
      _ = try held.explanation.lent(draft.window)
    }
    return (draft, held)
  }

  /// A draft of a tenant-defined role with the role of the policy that it is a variant of.
  ///
  /// A user who may not know of the entity does not learn what roles its tenant has.
  func resolved(_ draft: RoleDraft, _ tx: borrowing some Queryable) throws -> RoleDraft {
    guard let definition = try ownRole(draft.role, on: draft.entityID, tx) else { return draft }
    var draft = draft
    (draft.role, draft.definition) = (definition.baseRole, definition)
    return draft
  }

  /// The tenant's own role of a name that no role of the policy has, on an entity that the caller may know
  /// of.
  func ownRole(
    _ name: String,
    on id: String,
    _ tx: borrowing some Queryable
  ) throws -> RoleDefinitionRecord? {
    guard policy.role(named: name) == nil, let entity = try EntityTable.all([id], in: tx).first,
      let definition = try RoleDefinitionTable.find(name, of: entity.rootID, in: tx),
      try core.standing(on: id, type: entity.type, user, tx).knows
    else { return nil }
    return definition
  }

  /// Grants a role that the caller may grant.
  func grant(
    _ draft: RoleDraft,
    to userID: String,
    on held: HeldEntity,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    var window = draft.window
    if policy.followingRoles.contains(draft.role) { window = try held.explanation.lent(window) }
    if window.until != nil, policy.lentRoles.contains(draft.role) {
      return try lend(
        draft.role,
        variant: draft.definition,
        to: userID,
        on: held.record,
        during: window,
        tx
      )
    }
    return try grant(
      draft.role,
      variant: draft.definition,
      to: userID,
      on: held.record,
      during: window,
      replacesWindow: draft.replacesWindow,
      tx
    )
  }

  /// An action on a role.
  enum RoleDeed: String { case grant, revoke }

  /// Throws unless the caller may grant or revoke a role on an entity.
  ///
  /// NOT_FOUND for an entity that the caller may not know of, ROLE_NOT_ON_TYPE for one that the role
  /// cannot be held on.
  func requireRole(
    _ role: String,
    _ deed: RoleDeed,
    on id: String,
    field: String,
    _ tx: borrowing some Queryable
  ) throws -> HeldEntity {
    // Who administers everything is granted by AuthService's commands alone.
    let record = try EntityTable.all([id], in: tx).first.flatMap {
      $0.type == BuiltIn.system ? nil : $0
    }
    let action = record.flatMap { record in
      deed == .grant
        ? policy.granting(role, on: record.type) : policy.revoking(role, on: record.type)
    }
    if let record, action == nil, !policy.isHeld(role, on: record.type),
      try core.standing(on: id, type: record.type, user, tx).knows
    {
      throw ErrorCatalog.tenancy.invalid(
        fieldPath(field, "role"),
        "ROLE_NOT_ON_TYPE",
        "cannot be held on a \(record.type)"
      )
    }
    // Taking a role away needs no feature, though the same action may give it.
    return try core.require(
      action,
      "\(deed)_\(role)",
      on: id,
      record,
      user,
      needsFeatures: deed == .grant,
      tx
    )
  }

  /// Gives back what the caller holds on an entity: one role, or all if it is empty; ROLE_UNKNOWN, as
  /// for who revokes it, for a name that no role has.
  func leave(
    _ role: String,
    on id: String,
    _ tx: borrowing WriteTransaction
  ) throws -> RevokedRoles {
    try core.requireNotSuspended(user, tx)
    let one = role.isEmpty ? nil : role
    let newCount = try declineTaken(by: user.userID, on: id, role: one, tx)
    let own = try AssociationTable.all(ofUser: user.userID, on: id, in: tx)
    let variant = own.first { !role.isEmpty && $0.customRole == role }
    let roles = Set(own.map(\.role)).filter {
      role.isEmpty || $0 == role || $0 == variant?.role
    }
    if roles.isEmpty, newCount == 0, !role.isEmpty, policy.role(named: role) == nil,
      try ownRole(role, on: id, tx) == nil
    {
      throw RoleError.unknown("role")
    }
    // Nothing held is nothing known: the same answer whether there is such an entity or not.
    guard let entity = try EntityTable.all([id], in: tx).first, entity.type != BuiltIn.system,
      !roles.isEmpty
    else {
      return RevokedRoles(count: newCount, revision: tx.revision)
    }
    var left = try revoke(
      roles.sorted(),
      variant: variant?.variant,
      from: user.userID,
      on: entity,
      tx
    )
    left.count += newCount
    return left
  }
}
