internal import ServiceKit

/// The outcome of removing roles.
struct RevokedRoles: Sendable {
  var count = 0
  let revision: Int64
}

/// Roles that are given to users and taken from them.
extension ChangeSet {
  /// Gives a user a role for a time, for good if nothing else is said.
  ///
  /// One that is there already for the same time stays as it is. For another time it is a conflict,
  /// ALREADY_EXISTS, because anyone who adds somebody twice does not mean to cut or extend what is there;
  /// `replacesWindow` says that they do. A role whose time is over never stands in the way. `variant` is
  /// the tenant-defined role, of which `role` is the base; nobody gives more by one than they have, except
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
    let held = try AssociationTable.all(
      of: userID,
      on: entity.id,
      role: role,
      variant: variant?.id,
      in: tx
    )
    guard var record = held.first else {
      return try add(role, variant: variant, to: userID, on: entity, during: window, tx)
    }
    guard !record.hasWindow(window, now: tx.now) else { return record }
    guard record.isOver(at: tx.now) || replacesWindow else {
      throw RoleError.windowDiffers(role: role)
    }
    // What came with the role while it counted is not back with it.
    if record.isOver(at: tx.now) { try endProducts(of: [record], tx) }
    let before = record
    record.validFrom = window.from
    record.validUntil = window.until
    record.recurring = window.recurring
    if before.isLasting(at: tx.now), !record.isLasting(at: tx.now) {
      try requireLastingHolder(of: role, on: entity.id, besides: userID, tx)
    }
    if record.exceeds(before) { record.grantedBy = user.userID }
    record = try put(record, insteadOf: before, action: "\(role).update", tx)
    if before.exceeds(record) { _ = try limitLending(by: userID, on: entity.id, tx) }
    return record
  }

  /// Lends a user a role for a time that ends, from now on if nothing else is said, beside others that it
  /// may have.
  ///
  /// A repeated request makes no second one: anyone who lends the same for the same time gets what is
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
    let held = try AssociationTable.all(
      of: userID,
      on: entity.id,
      role: role,
      variant: variant?.id,
      in: tx
    )
    let lent = held.first { $0.grantedBy == user.userID && $0.hasWindow(window, now: tx.now) }
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
    // A user whose account was deleted in the meantime gets nothing that nobody would ever take away.
    if try core.store.tombstones?.contains(.user(userID), in: tx) == true {
      throw TenancyError.unknownUser("user_id")
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
    return try put(record, action: "\(role).add", tx)
  }

  func put(
    _ record: AssociationRecord,
    insteadOf before: AssociationRecord? = nil,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    if !record.isOver(at: tx.now) { try requireSeat(of: record.userID, at: record.place, tx) }
    var record = record
    record.revision = try AssociationTable.put(record, policy, in: tx)
    record.updatedAt = tx.now
    try AssociationTable.touch(listing: record, revision: record.revision, core.products, in: tx)
    try tx.audit(action, from: before, to: record)
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
      revision = try AssociationTable.remove(record, policy, in: tx)
      try AssociationTable.touch(listing: record, revision: tx.revision, core.products, in: tx)
      try tx.audit(action, from: record)
      // What was taken away is not left by an invitation either.
      try giveBackTaken(by: record.userID, on: record.entityID, role: record.role, tx)
    }
    try endProducts(of: records, tx)
    return revision
  }

  /// Ends what hangs on associations in products.
  private func endProducts(
    of records: [AssociationRecord],
    _ tx: borrowing WriteTransaction
  ) throws {
    let ended = records.map {
      EndedRole(userID: $0.userID, entityID: $0.entityID, entityType: $0.entityType)
    }
    for product in core.products { try product.ended(ended, self, tx) }
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
  ) throws -> RevokedRoles {
    var ended: [AssociationRecord] = []
    for role in roles {
      let own = try AssociationTable.all(on: entity.id, role: role, in: tx).filter {
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
    return RevokedRoles(count: ended.count, revision: revision ?? tx.revision)
  }

  /// Makes some users, and nobody else, the holders of a role on an entity.
  ///
  /// Those who have the role already keep it as it is, and holders of one of `others` do not need it. The rest
  /// lose it as by `revoke`; a role whose time has not begun stays, because the list of holders does not show
  /// it. `action` is what the caller does it by, whose right to that was checked.
  func replaceHolders(
    of role: String,
    besides others: [String] = [],
    on entity: EntityRecord,
    by userIDs: [String],
    action: String? = nil,
    _ tx: borrowing WriteTransaction
  ) throws {
    let holders = try AssociationTable.all(on: entity.id, role: role, in: tx)
      .filter { $0.validUntil.map { $0 > tx.now } ?? true }
    var have = Set(holders.map(\.userID))
    for other in others {
      let records = try AssociationTable.all(on: entity.id, role: other, in: tx)
      have.formUnion(records.filter { $0.isInForce(at: tx.now) }.map(\.userID))
    }
    var added: Set<String> = []
    for user in userIDs where !have.contains(user) && added.insert(user).inserted {
      _ = try grant(role, to: user, on: entity, by: action, tx)
    }
    var removed: Set<String> = []
    for holder in holders where holder.isInForce(at: tx.now) {
      guard !userIDs.contains(holder.userID), removed.insert(holder.userID).inserted else {
        continue
      }
      _ = try revoke([role], from: holder.userID, on: entity, tx)
    }
  }
}

extension AssociationRecord {
  fileprivate var place: MemberPlace {
    MemberPlace(entityID: entityID, type: entityType, role: role)
  }
}
