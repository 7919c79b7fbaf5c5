internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Roles that come of invitations by themselves, and become roles like others when they are used.
extension ChangeSet {
  /// Gives the caller the role of an invitation for an address that the caller has proven; whether that was
  /// possible.
  ///
  /// What an upgrade made of a role is left for the person to accept, and so is a role that the person has already
  /// for another time. Throws as `accept` does when the inviter may no longer grant it.
  func take(_ record: InvitationRecord, _ tx: borrowing WriteTransaction) throws -> Bool {
    guard record.isOpen(at: tx.now), record.taken == nil,
      try !InvitationTable.isOvertaken(record.id, for: user.userID, in: tx),
      try ConvertedRoleTable.find(invitation: record.id, in: tx) == nil,
      try core.store.tombstones?.contains(.user(user.userID), in: tx) != true
    else { return false }
    let (_, draft, held) = try issuable(record, tx)
    let isLent = draft.window.until != nil && policy.lentRoles.contains(draft.role)
    let had = try AssociationTable.all(
      of: user.userID,
      on: held.record.id,
      role: draft.role,
      variant: draft.definition?.id,
      in: tx
    )
    guard isLent || had.isEmpty else { return false }
    var taken = record
    taken.taken = TakenRole(
      userID: user.userID,
      role: draft.role,
      variant: draft.definition?.id ?? "",
      associationID: core.identifiers.make(.association)
    )
    try InvitationTable.updateTaker(of: &taken, in: tx)
    try put(takenRoleOf: taken, tx)
    // Not who: the log is the tenant's to read.
    try tx.audit("invitation.take", from: record, to: taken)
    return true
  }

  /// Has a taken role count as its invitation says, which is stored.
  func put(
    takenRoleOf record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard let role = try TakenAssociationTable.find(invitation: record.id, in: tx),
      let row = role.row(policy)
    else { throw InvitationError.roleChanged }
    _ = try tx.log(
      .putAssociation(row),
      subject: role.userID,
      scope: role.rootID,
      touching: Self.touched(by: role.userID, on: role.entityID),
      policy
    )
  }

  /// Takes a taken role away again.
  func remove(
    _ taken: TakenRole,
    of record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    _ = try tx.log(
      .removeAssociation(taken.associationID),
      subject: taken.userID,
      scope: record.rootID,
      touching: Self.touched(by: taken.userID, on: record.entityID),
      policy
    )
  }

  private static func touched(by userID: String, on entityID: String) -> [ConflictKey] {
    [.roles(of: userID, on: entityID), .roles(of: userID)]
  }

  /// Leaves invitations to be accepted by hand, without the roles that came of them by themselves.
  func giveBack(_ records: [InvitationRecord], _ tx: borrowing WriteTransaction) throws {
    for record in records {
      guard let taken = record.taken else { continue }
      try remove(taken, of: record, tx)
      var open = record
      open.taken = nil
      try InvitationTable.updateTaker(of: &open, in: tx)
    }
  }

  /// As the other one, for what a person has taken on an entity, of one role of the policy.
  func giveBackTaken(
    by userID: String,
    on entityID: String,
    role: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    let taken = try InvitationTable.taken(by: userID, in: tx)
    try giveBack(taken.filter { $0.entityID == entityID && $0.taken?.role == role }, tx)
  }

  /// As the other one, for what came of a lender's invitations by a right on an entity.
  func giveBackTaken(
    lentBy lender: String,
    on entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    for record in try InvitationTable.taken(lentBy: lender, roles: policy.followingRoles, in: tx)
    where try EntityTable.reach(of: record.entityID, in: tx).includes(entityID) {
      try giveBack([record], tx)
    }
  }

  /// As the other one, for roles on an entity and everything below it.
  func giveBackTaken(
    within id: String,
    roles: [String],
    _ tx: borrowing WriteTransaction
  ) throws {
    try giveBack(InvitationTable.taken(within: id, roles: roles, in: tx), tx)
  }

  /// As the other one, for a tenant-defined role that is about to go.
  func giveBackTaken(variant id: String, of root: String, _ tx: borrowing WriteTransaction) throws {
    try giveBack(InvitationTable.taken(variant: id, of: root, in: tx), tx)
  }

  /// The users who have lent roles on an entity by invitations that somebody has taken.
  func lendersOfTaken(
    on id: String,
    roles: [String],
    _ tx: borrowing WriteTransaction
  ) throws -> [String] {
    try InvitationTable.taken(within: id, roles: roles, in: tx).filter { $0.entityID == id }
      .map(\.invitedBy)
  }

  /// Declines what a person has taken: on an entity and of one role, if these are given; how much that was.
  @discardableResult
  func declineTaken(
    by userID: String,
    on entityID: String? = nil,
    role: String? = nil,
    _ tx: borrowing WriteTransaction
  ) throws -> Int {
    let taken = try InvitationTable.taken(by: userID, in: tx).filter { record in
      (entityID == nil || record.entityID == entityID)
        && (role == nil || record.role == role || record.taken?.role == role)
    }
    for record in taken { try close(record, .declined, tx) }
    return taken.count
  }

  /// Makes a taken role one like others: the inviter learns by it who has accepted.
  func use(
    _ record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    guard let taken = record.taken,
      var role = try TakenAssociationTable.find(invitation: record.id, in: tx)
    else {
      throw InvitationError.roleChanged
    }
    let held = try AssociationTable.all(
      of: taken.userID,
      on: record.entityID,
      role: taken.role,
      variant: taken.variant,
      in: tx
    )
    let person = ChangeSet(core: core, call: call, user: .named(taken.userID))
    if let given = held.first, !policy.lentRoles.contains(taken.role) {
      try person.close(record, .accepted, association: given.id, tx)
      return given
    }
    let window = record.grant(to: taken.userID).window
    (role.validFrom, role.validUntil) = (window.from, window.until)
    if window.until != nil { role.validFrom = window.from ?? tx.now }
    (role.createdAt, role.added, role.isNew) = (tx.now, 0, false)
    var giver = ChangeSet(core: core, call: call, user: .named(record.invitedBy))
    giver.isSeatTaken = true
    // Closed first: what the lender may no longer lend is taken off from the association alone.
    try person.close(record, .accepted, association: role.id, tx)
    role = try giver.put(role, action: "\(taken.role).add", tx)
    return role
  }
}
