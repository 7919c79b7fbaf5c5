internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What a call changes, with its audit records; used inside a write transaction.
struct ChangeSet: Sendable {
  let core: TenancyCore
  /// Nil for work that nobody called for.
  let call: CallContext?
  let user: UserIdentity

  var policy: Policy { core.policy }

  /// Adds an entity below another one.
  func insert(
    _ type: String,
    _ prefix: IdentifierPrefix,
    under parent: EntityRecord,
    name: String,
    attributes: [String: JSONValue] = [:],
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    let id = core.identifiers.make(prefix)
    let record = try tx.put(
      EntityRecord(
        id: id,
        type: type,
        parentID: parent.id,
        rootID: parent.id == Forest.systemIdentifier ? id : parent.rootID,
        name: name,
        attributes: attributes,
        now: tx.now
      ),
      insteadOf: nil,
      policy
    )
    try tx.audit(
      "\(type).create",
      object: id,
      scope: record.rootID,
      after: record.digest
    )
    return record
  }

  /// Stores a changed entity; unchanged ones cost nothing.
  func update(
    from before: EntityRecord,
    to after: EntityRecord,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    guard before != after else { return before }
    let record = try tx.put(after, insteadOf: before, policy)
    try tx.audit(
      action,
      object: record.id,
      scope: record.rootID,
      before: before.digest,
      after: record.digest
    )
    return record
  }

  /// Gives a user a role for a time, for good if nothing else is said.
  ///
  /// One that is there already for the same time stays as it is. For another time it is a conflict,
  /// ALREADY_EXISTS, because whoever adds somebody twice does not mean to cut or extend what is there;
  /// `replacesWindow` says that they do. A role whose time is over never stands in the way. `variant` is
  /// the tenant's own role, of which `role` is the base; nobody gives more by one than they have, except
  /// to themselves `asCreator`, which the policy gives them. `action` is what the caller does it by, if
  /// that is not the one that the policy names for the role.
  func grant(
    _ role: String,
    variant: RoleDefinitionRecord? = nil,
    to userID: String,
    on entity: EntityRecord,
    during window: RoleWindow = .unlimited,
    replacesWindow: Bool = false,
    asCreator: Bool = false,
    by action: String? = nil,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    if !asCreator { try requireGiven(role, variant, on: entity, during: window, by: action, tx) }
    var window = window
    if window.until != nil { window.from = window.from ?? tx.now }
    let held = try tx.associations(
      of: userID,
      on: entity.id,
      role: role,
      variant: variant?.id ?? ""
    )
    guard var record = held.first else {
      return try add(role, variant: variant, to: userID, on: entity, during: window, tx)
    }
    guard !record.hasWindow(window, now: tx.now) else { return record }
    guard record.isOver(at: tx.now) || replacesWindow else {
      throw TenancyError.windowDiffers(role: role)
    }
    // What came with the role while it counted is not back with it.
    if record.isOver(at: tx.now) { try Products.ended([record], self, tx) }
    let before = record
    record.validFrom = window.from
    record.validUntil = window.until
    record.recurring = window.recurring
    if before.isLasting(at: tx.now), !record.isLasting(at: tx.now) {
      try requireLastingHolder(of: role, on: entity.id, besides: userID, tx)
    }
    if record.exceeds(before) { record.grantedBy = user.userID }
    record = try put(record, before: before.digest, action: "\(role).update", tx)
    if before.exceeds(record) { _ = try limitLending(by: userID, on: entity.id, tx) }
    return record
  }

  /// Lends a user a role for a time that ends, from now on if nothing else is said, beside others that it
  /// may have.
  ///
  /// A repeated request makes no second one: whoever lends the same for the same time gets what is
  /// there.
  func lend(
    _ role: String,
    variant: RoleDefinitionRecord? = nil,
    to userID: String,
    on entity: EntityRecord,
    during window: RoleWindow,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    try requireGiven(role, variant, on: entity, during: window, tx)
    var window = window
    window.from = window.from ?? tx.now
    let held = try tx.associations(
      of: userID,
      on: entity.id,
      role: role,
      variant: variant?.id ?? ""
    )
    let lent = held.first {
      $0.grantedBy == user.userID && $0.hasWindow(window, now: tx.now)
    }
    return try lent ?? add(role, variant: variant, to: userID, on: entity, during: window, tx)
  }

  /// Gives a user a role beside the same one that may be there already.
  func add(
    _ role: String,
    variant: RoleDefinitionRecord? = nil,
    to userID: String,
    on entity: EntityRecord,
    during window: RoleWindow,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    // Somebody whose account was deleted meanwhile gets nothing that nobody would ever take away.
    if try core.store.tombstones?.contains(.user(userID), in: tx) == true {
      throw TenancyError.invalidField("user_id", "USER_UNKNOWN", "is not a known user")
    }
    let record = AssociationRecord(
      id: core.identifiers.make(.association),
      userID: userID,
      entity: entity,
      role: role,
      variant: variant,
      validFrom: window.from,
      validUntil: window.until,
      recurring: window.recurring,
      grantedBy: user.userID,
      now: tx.now
    )
    return try put(record, before: nil, action: "\(role).add", tx)
  }

  /// Stores an association.
  func put(
    _ record: AssociationRecord,
    before: [UInt8]?,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    _ = try tx.put(record, policy)
    try tx.audit(
      action,
      object: record.entityID,
      scope: record.rootID,
      before: before,
      after: record.digest,
      detail: "\(record.id) \(record.userID)"
    )
    return record
  }

  /// Ends associations, and what hangs on them in a product; the revision after it.
  @discardableResult
  func end(
    _ records: [AssociationRecord],
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64? {
    var revision: Int64?
    for record in records {
      revision = try tx.remove(record, policy)
      try tx.audit(
        action,
        object: record.entityID,
        scope: record.rootID,
        before: record.digest,
        detail: "\(record.id) \(record.userID)"
      )
    }
    try Products.ended(records, self, tx)
    return revision
  }

  /// Takes roles on an entity from a user, or only a variant of them, and with them what the user has lent
  /// by them; throws when somebody must have one of them and nobody else can act by it for good.
  ///
  /// Runs in the one writer, so that of two who remove each other only one succeeds.
  func revoke(
    _ roles: [String],
    variant: String? = nil,
    from userID: String,
    on entity: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> Tenancy_V1.RemoveRoleResponse {
    var ended: [AssociationRecord] = []
    for role in roles {
      let own = try tx.associations(on: entity.id, role: role).filter {
        $0.userID == userID && (variant == nil || $0.variant == variant)
      }
      if !own.allSatisfy({ $0.isOver(at: tx.now) }) {
        try requireLastingHolder(of: role, on: entity.id, besides: userID, tx)
      }
      ended += own
    }
    var revision = try end(ended, action: "role.remove", tx)
    if !ended.isEmpty {
      revision = try limitLending(by: userID, on: entity.id, tx) ?? revision
    }
    return Tenancy_V1.RemoveRoleResponse(
      removed: UInt32(ended.count),
      revision: core.tokens.token(revision: revision ?? tx.revision)
    )
  }

  /// Hangs a device under another entity.
  ///
  /// Guest passes end when a device leaves a unit or the reach of those who gave them, and it is no
  /// common area any more: what was lent must not stay lent when the lender goes.
  func move(
    _ device: EntityRecord,
    under parent: EntityRecord,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    guard device.parentID != parent.id else { return device }
    try tx.removeLinks(of: device.id, scope: device.rootID, policy)
    let passes = try tx.associations(on: device.id).filter { !policy.isKept($0.role) }
    try end(passes, action: "guest.end", tx)
    var moved = device
    moved.parentID = parent.id
    moved.rootID = parent.id == Forest.systemIdentifier ? device.id : parent.rootID
    return try update(from: device, to: moved, action: action, tx)
  }
}
