internal import ServiceKit

extension ChangeSet {
  /// Makes some users, and nobody else, the holders of a role on an entity.
  ///
  /// Anyone who has the role already keeps it as it is, and anyone who has one of `others` needs it not. From
  /// the rest it is taken as `revoke` takes it; a time that has not begun stays, as nobody who replaced the
  /// holders was shown it. The caller's right to do this was checked.
  func replaceHolders(
    of role: String,
    besides others: [String] = [],
    on entity: EntityRecord,
    by userIDs: [String],
    _ tx: borrowing WriteTransaction
  ) throws {
    let holders = try tx.associations(on: entity.id, role: role)
      .filter { $0.validUntil.map { $0 > tx.now } ?? true }
    var have = Set(holders.map(\.userID))
    for other in others {
      let records = try tx.associations(on: entity.id, role: other)
      have.formUnion(records.filter { $0.isInForce(at: tx.now) }.map(\.userID))
    }
    var added: Set<String> = []
    for user in userIDs where !have.contains(user) && added.insert(user).inserted {
      _ = try grant(role, to: user, on: entity, tx)
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
