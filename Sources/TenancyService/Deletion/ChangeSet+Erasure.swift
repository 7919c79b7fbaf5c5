internal import PeerContracts
internal import ServiceKit

extension ChangeSet {
  /// Ends all that a user may do, at once and for good: roles with what was lent by them, pairings, and
  /// invitations from the user and to the addresses.
  ///
  /// The change set acts as nobody but the pseudonym. Throws MUST_HAND_OVER, having changed nothing, for the
  /// last one with a role that somebody must have; in the one writer, so that of two owners who go at once
  /// one stays. A user who was erased already has nothing left, and nothing is done again.
  func erase(
    _ userID: String,
    addresses: [EmailAddress],
    _ tombstones: Tombstones,
    _ tx: borrowing WriteTransaction
  ) throws {
    let sole = try SoleHolding.all(of: userID, policy, now: tx.now, tx)
    guard sole.isEmpty else { throw DeletionError.mustHandOver(sole) }
    let isNew = try tombstones.insert(.user(userID), in: tx)
    if let suspension = try SuspensionTable.of(userID, in: tx) {
      _ = try SuspensionTable.resume(suspension, policy, in: tx)
    }
    try AccountStateTable.remove(of: userID, in: tx)
    try PersonTable.erase(of: userID, in: tx)
    for product in core.products { try product.erase(userID, self, tx) }
    let held = try AssociationTable.all(ofUser: userID, in: tx)
    try end(held, action: "role.remove", tx)
    for entityID in Set(held.map(\.entityID)).sorted() {
      _ = try limitLending(by: userID, on: entityID, tx)
    }
    try endInvitations(by: userID, tx)
    try declineTaken(by: userID, tx)
    for address in addresses {
      try tx.execute("DELETE FROM invitation WHERE email_key = ?", .text(address.key))
    }
    try EventTable.drop(about: userID, in: tx)
    try WebhookEventTable.drop(about: userID, in: tx)
    guard isNew else { return }
    try tx.audit("user.erase", object: user.userID, detail: "\(held.count) roles")
  }
}
