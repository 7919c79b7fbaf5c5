internal import AccessEngine
internal import ServiceKit

/// Roles that become invitations at an upgrade, and invitations that become such roles again.
extension ChangeSet {
  /// Turns a role into an invitation of an address, with the same window; what became of it.
  ///
  /// Nobody's rights are looked at: the role was given by right, and only the proof of the address is missing.
  /// For the same reason no bound on pending invitations applies.
  func convert(
    _ held: AssociationRecord,
    to email: EmailAddress,
    _ tx: borrowing WriteTransaction
  ) throws -> RoleReview.Outcome {
    guard policy.role(named: held.role) != nil, !held.hasUnreadableWindow,
      let entity = try EntityTable.all([held.entityID], in: tx).first
    else { return .kept }
    if policy.isKept(held.role), try !held.hasLastingSubstitute(now: tx.now, tx) {
      return .keptLast
    }
    try end([held], action: "role.convert", tx)
    _ = try limitLending(by: held.userID, on: held.entityID, tx)
    let code = core.invitationCode()
    let role = held.customRole.isEmpty ? held.role : held.customRole
    // After the role has ended, which would overtake an invitation from before.
    var invitation = try InvitationRecord(
      InvitationDraft(
        email: email.text,
        role: role,
        on: entity.id,
        during: held.window,
        expiresAt: tx.now + InvitationLimits.lifetimeMax
      ),
      id: core.identifiers.make(.invitation),
      codeDigest: core.invitationDigest(of: code),
      on: entity,
      by: .named(held.grantedBy),
      for: try RoleDefinitionTable.find(role, of: entity.rootID, in: tx),
      at: tx.revision,
      now: tx.now
    )
    let earlier = try InvitationTable.open(to: email, role, on: entity.id, in: tx)
    for record in earlier { try close(record, .revoked, tx) }
    try InvitationTable.insert(&invitation, in: tx)
    for record in earlier {
      try ConvertedRoleTable.move(from: record.id, to: invitation.id, in: tx)
    }
    try core.mailer?.queue(code, of: invitation.id, in: tx)
    try tx.audit("invitation.create", to: invitation)
    try ConvertedRoleTable.insert(
      ConvertedRole(held, invitationID: invitation.id, now: tx.now),
      in: tx
    )
    return .converted
  }

  /// Restores a role that became an invitation, and revokes the invitation.
  ///
  /// One that was restored before stays as it is. What was lent by it, or paired, does not come back.
  func restore(
    _ converted: ConvertedRole,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    if converted.restoredAt != nil,
      let restored = try AssociationTable.find(converted.restoredAs, in: tx)
    {
      return restored
    }
    guard let invitation = try InvitationTable.find(converted.invitationID, in: tx) else {
      throw InvitationError.convertedRoleNotFound
    }
    let isPending = invitation.state == .pending
    // Of several roles with one invitation the first one that came back has closed it.
    let isClosedByOther = try ConvertedRoleTable.isAnyRestored(of: invitation.id, in: tx)
    guard converted.restoredAt == nil, isPending || isClosedByOther else {
      throw InvitationError.closed(isPending ? "revoked" : invitation.state.rawValue)
    }
    guard !converted.role.isOver(at: tx.now) else { throw InvitationError.closed("expired") }
    let record = try grantAgain(converted.role, of: invitation, to: converted.role.userID, tx)
    if isPending { try close(invitation, .revoked, tx) }
    try ConvertedRoleTable.restored(converted, as: record, in: tx)
    return record
  }

  /// Gives a role that became an invitation as it was, on behalf of the one who gave it; to the user who had
  /// it, or to the one who has accepted the invitation.
  ///
  /// A lent role is cut to what its lender may lend by now, as it would have been without the upgrade.
  func grantAgain(
    _ role: AssociationRecord,
    of invitation: InvitationRecord,
    to userID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    let entity = try EntityTable.known(role.entityID, type: role.entityType, in: tx)
    let definition = try RoleDefinitionTable.find(invitation.role, of: entity.rootID, in: tx)
    guard policy.role(named: role.role) != nil, policy.isHeld(role.role, on: entity.type),
      role.variant.isEmpty || role.variant == definition?.id,
      InvitedRole.allows(definition, invitedTo: invitation.madeFor)
    else { throw InvitationError.roleChanged }
    var giver = ChangeSet(core: core, call: call, user: .named(role.grantedBy))
    giver.isSeatTaken = true
    let variant = role.variant.isEmpty ? nil : definition
    let window = role.window
    let isLent = window.until != nil && policy.lentRoles.contains(role.role)
    let held = try AssociationTable.all(
      of: userID,
      on: entity.id,
      role: role.role,
      variant: role.variant,
      in: tx
    )
    let record: AssociationRecord
    if isLent, !held.contains(where: { $0.hasWindow(window, now: tx.now) }) {
      let name = role.role
      record = try giver.add(name, variant: variant, to: userID, on: entity, during: window, tx)
    } else {
      // The right of the one who gave it was looked at when it was given.
      record = try giver.grant(
        role.role,
        variant: variant,
        to: userID,
        on: entity,
        during: window,
        asCreator: true,
        tx
      )
    }
    guard policy.followingRoles.contains(role.role) else { return record }
    _ = try limitLending(by: role.grantedBy, on: entity.id, tx)
    guard let rest = try AssociationTable.find(record.id, in: tx) else {
      throw CodeError.issuerLacksRight
    }
    return rest
  }
}
