internal import AccessEngine
internal import ServiceKit

extension ChangeSet {
  /// Throws LAST_… when a user is about to lose a role that somebody must have, in whole or in part, and
  /// nobody else can act by it for good.
  func requireLastingHolder(
    of role: String,
    on entityID: String,
    besides userID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard policy.isKept(role) else { return }
    let remains = try AssociationTable.hasLastingHolder(
      of: role,
      on: entityID,
      besides: userID,
      now: tx.now,
      in: tx
    )
    guard remains else { throw RoleError.lastOne(role: role) }
  }
}
