internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An entity whose members may be limited, and the role that makes somebody one.
struct MemberPlace: Sendable {
  let entityID: String
  let type: String
  let role: String
}

/// Members that count against a limit: distinct people, and addresses that are invited.
extension ChangeSet {
  /// Throws LIMIT_EXCEEDED when an entity has no room for a user who gets a role on it.
  ///
  /// Members get further roles, and people who were invited by address were counted then. The first one of all
  /// is the creator.
  func requireSeat(
    of userID: String,
    at place: MemberPlace,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard !isSeatTaken, let limit = policy.limit(ofMembersOf: place.type),
      try !MemberTable.isMember(userID, of: place.entityID, in: tx),
      try MemberTable.isMember(of: place.entityID, in: tx)
    else { return }
    try requireSeat(limit, at: place, tx)
  }

  /// Throws LIMIT_EXCEEDED when an entity has no room for an address that is invited to it, by the address's key.
  func requireSeat(
    ofAddress key: String,
    at place: MemberPlace,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard !key.isEmpty, let limit = policy.limit(ofMembersOf: place.type),
      try !MemberTable.isCounted(address: key, of: place.entityID, in: tx)
    else { return }
    try requireSeat(limit, at: place, tx)
  }

  private func requireSeat(
    _ limit: CountedLimit,
    at place: MemberPlace,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.rely(on: .policy)
    let holder = FeatureHolder(kind: limit.holderKind, id: place.entityID)
    guard case .known(let maximum) = core.features.limit(limit.name, of: holder) else {
      throw TenancyError.featuresUnavailable([holder])
    }
    guard maximum < .max else { return }
    let count = try MemberTable.count(of: place.entityID, at: tx.now, in: tx)
    guard count < maximum else {
      throw LimitExceeded(
        limit: limit.name,
        holder: holder,
        maximum: maximum,
        count: count,
        requested: 1,
        counted: "member",
        action: "\(place.role).add",
        object: place.entityID
      ).error
    }
    try tx.tellOfUse(of: limit.name, by: place.entityID, from: count, to: count + 1, of: maximum)
  }
}
