internal import AccessEngine
internal import ServiceKit

/// Lent roles follow the right of their lender.
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
