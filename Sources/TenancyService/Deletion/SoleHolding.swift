internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A role that somebody must have on an entity, and by which nobody but one user can act for good.
struct SoleHolding: Hashable, Sendable {
  /// Those that an answer names, at most.
  static let namedCountMax = 20

  let entityID: String
  let entityType: String
  let role: String

  /// Those of a user, in the order in which the roles were given.
  static func all(
    of userID: String,
    _ policy: Policy,
    now: Int64,
    _ tx: borrowing some Queryable
  ) throws -> [SoleHolding] {
    var found: [SoleHolding] = []
    for held in try AssociationTable.all(ofUser: userID, in: tx) {
      guard policy.isKept(held.role) || held.role == BuiltIn.superAdmin, !held.isOver(at: now)
      else { continue }
      guard try !held.hasLastingSubstitute(now: now, tx) else { continue }
      let holding = SoleHolding(
        entityID: held.entityID,
        entityType: held.entityType,
        role: held.role
      )
      if !found.contains(holding) { found.append(holding) }
    }
    return found
  }
}

enum DeletionError {
  /// This user alone holds a required role on these entities.
  static func mustHandOver(_ sole: [SoleHolding]) -> RPCError {
    let named = sole.prefix(SoleHolding.namedCountMax).map(\.entityID)
    let what = sole.count == 1 ? ("one entity", "it") : ("\(sole.count) entities", "them")
    return ErrorCatalog.tenancy.precondition(
      "MUST_HAND_OVER",
      "no other user permanently holds a required role on \(what.0); "
        + "give the role to another user without an end date, or delete \(what.1), first",
      ["count": "\(sole.count)", "entities": named.joined(separator: " ")]
    )
  }
}
