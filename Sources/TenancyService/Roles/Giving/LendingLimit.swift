internal import AccessEngine
internal import ServiceKit

/// Keeps lent roles, such as guest passes, within the right of the users who lent them.
///
/// Applied where such a right shrinks, in the same transaction, so that a decision about a borrower need
/// not look at anybody else. Time alone needs nothing: a role is never lent beyond its lender's window.
/// A suspension does not shrink a right, it suspends it, and lent roles continue in the meantime.
struct LendingLimit {
  let policy: Policy
  let products: [any Product.Type]

  /// Ends or shortens what a user has lent and may lend no longer, or not for so long.
  ///
  /// `entityID` is where the user has lost something: only roles that one there could have lent are
  /// looked at. Returns the revision after the last change; nil when nothing had to change.
  func apply(
    to lender: String,
    on entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64? {
    let roles = policy.followingRoles
    guard !roles.isEmpty else { return nil }
    var revision: Int64?
    // A borrower whom the policy lets lend as well has lent out of the same right.
    var shrunk = [(lender: lender, entityID: entityID)]
    while let (lender, entityID) = shrunk.popLast() {
      let held = try AssociationTable.all(ofUser: lender, in: tx)
      var own: [String: [RoleDefinitionRecord]] = [:]
      for root in Set(held.map(\.rootID)) {
        own[root] = try RoleDefinitionTable.all(of: root, in: tx)
      }
      for pass in try AssociationTable.all(lentBy: lender, roles: roles, in: tx) {
        guard let rule = GivingRule(of: pass.role, on: pass.entityType, policy) else { continue }
        let reach = try EntityTable.reach(of: pass.entityID, in: tx)
        guard reach.includes(entityID) else { continue }
        let rights = held.filter { right in
          // Of two borrowers who lend to each other neither has a right by the other.
          (right.role != pass.role || right.added < pass.added)
            && rule.isMet(by: right, on: pass.entityID, reach, own: own[right.rootID] ?? [])
        }
        let rest = Self.part(of: pass, within: rights, now: tx.now)
        guard rest != pass else { continue }
        revision = try replace(pass, by: rest, tx)
        shrunk.append((pass.userID, pass.entityID))
      }
    }
    return revision
  }

  private func replace(
    _ pass: AssociationRecord,
    by rest: AssociationRecord?,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let revision =
      try rest.map { try AssociationTable.put($0, policy, in: tx) }
      ?? AssociationTable.remove(pass, policy, in: tx)
    try AssociationTable.touch(listing: pass, revision: revision, products, in: tx)
    try tx.audit("\(pass.role).\(rest == nil ? "end" : "update")", from: pass, to: rest)
    return revision
  }

  /// The longest part of a pass that lies within one of some rights; nil when there is none.
  private static func part(
    of pass: AssociationRecord,
    within rights: [AssociationRecord],
    now: Int64
  ) -> AssociationRecord? {
    // What is over stays as it was, for those who look back.
    if let end = pass.validUntil, end <= now, !rights.isEmpty { return pass }
    var best: AssociationRecord?
    for right in rights {
      var part = pass
      if let hours = right.recurring {
        // What two different windows have in common is no window in general.
        guard pass.recurring == nil || pass.recurring == hours else { continue }
        part.recurring = hours
      }
      if let end = right.validUntil, end < pass.validUntil ?? .max { part.validUntil = end }
      // A beginning that is past takes nothing away.
      if let start = right.validFrom, start > now, start > pass.validFrom ?? .min {
        part.validFrom = start
      }
      guard part.validUntil ?? .max > max(part.validFrom ?? .min, now) else { continue }
      if best.map(part.exceeds) != false { best = part }
    }
    return best
  }
}

/// Lent roles follow the right of their lender.
extension ChangeSet {
  /// Ends or shortens what a user has lent beyond what it still may, after it lost something on an
  /// entity; the revision after that, if anything changed.
  func limitLending(
    by lender: String,
    on entityID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64? {
    // What came of the lender's invitations and was not used yet may still be accepted, if the lender may lend it then.
    try giveBackTaken(lentBy: lender, on: entityID, tx)
    return try LendingLimit(policy: policy, products: core.products)
      .apply(to: lender, on: entityID, tx)
  }

  /// As the other one, for everybody who has lent a role on one of the entities, after they lost a
  /// link.
  func limitLending(ofUnlinked entities: [String], _ tx: borrowing WriteTransaction) throws {
    let roles = policy.followingRoles
    for id in entities {
      let lent = try AssociationTable.all(on: id, in: tx).filter { roles.contains($0.role) }
      let lenders = try lent.map(\.grantedBy) + lendersOfTaken(on: id, roles: roles, tx)
      for lender in Set(lenders).sorted() { _ = try limitLending(by: lender, on: id, tx) }
    }
  }
}
