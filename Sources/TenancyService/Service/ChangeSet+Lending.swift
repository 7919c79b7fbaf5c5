internal import AccessEngine
internal import ServiceKit

/// What was lent, and who was invited, follows the right of whoever did it.
extension ChangeSet {
  /// Ends or shortens what a user has lent beyond what it still may, after it lost something on an
  /// entity; the revision after that, if anything changed.
  func limitLending(
    by lender: String,
    on entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64? {
    try LendingLimit(policy: policy).apply(to: lender, on: entityID, tx)
  }

  /// Revokes the pending invitations of a user to roles that it may no longer give, after it lost something on
  /// an entity.
  ///
  /// Nobody could accept them, as that needs the right of whoever invites; but they would be listed, and count
  /// again with a new role of the user.
  func limitInvitations(
    by inviter: String,
    on entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    let limit = LendingLimit(policy: policy)
    var last = ""
    while true {
      let page = try InvitationRecord.list(
        .inviter(inviter),
        pendingAt: tx.now,
        after: last,
        limit: Database.purgeCountMax,
        tx
      )
      for invitation in page {
        let entities = try tx.entities([invitation.entityID])
        guard let entity = entities.first, try tx.reach(of: entity.id).includes(entityID),
          try !limit.allows(inviter, toGive: baseRole(of: invitation, tx), on: entity, tx)
        else { continue }
        try close(invitation, .revoked, tx)
      }
      guard let end = page.last, page.count == Database.purgeCountMax else { return }
      last = end.id
    }
  }

  /// The policy's role of what an invitation names, which can be a role of the tenant's own.
  private func baseRole(
    of invitation: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> String {
    guard policy.role(named: invitation.role) == nil else { return invitation.role }
    return try tx.roleDefinition(invitation.role, of: invitation.rootID)?.baseRole
      ?? invitation.role
  }

  /// As the other one, for everybody who has lent a role on one of the entities, after they lost a
  /// link.
  func limitLending(ofUnlinked entities: [String], _ tx: borrowing WriteTransaction) throws {
    let roles = policy.followingRoles
    for id in entities {
      let lent = try tx.associations(on: id).filter { roles.contains($0.role) }
      for lender in Set(lent.map(\.grantedBy)).sorted() {
        _ = try limitLending(by: lender, on: id, tx)
      }
    }
  }
}
