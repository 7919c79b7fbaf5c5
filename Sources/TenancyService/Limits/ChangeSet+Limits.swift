internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An entity as limits see it.
struct CountedEntity: Sendable {
  let id: String
  let type: String
  let parentID: String
}

/// Room that entities need at a new place.
struct RoomRequest: Sendable {
  /// The type that is counted, for people.
  let counted: String
  let count: Int64
  /// The refused action and its object, for the log.
  let action: String
  let object: String
}

/// Entities that count against limits which are sold: the count changes with the entities, in one transaction,
/// so that it is exact under any number of callers.
///
/// Policies without limits cost nothing.
extension ChangeSet {
  /// Counts a new entity; LIMIT_EXCEEDED when its holder has no room for it.
  func countNew(
    _ type: String,
    under parentID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard let limit = policy.limit(counting: type),
      let holder = try LimitTable.holder(of: limit, from: parentID, in: tx)
    else { return }
    let room = RoomRequest(counted: type, count: 1, action: "\(type).create", object: parentID)
    try take(room, limit, of: holder, tx)
  }

  /// Counts an entity, with what is below it, at another place; LIMIT_EXCEEDED when that has no room for it.
  ///
  /// Call before it moves.
  func countMove(
    of entity: CountedEntity,
    under parentID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    for limit in policy.limits {
      let old = try LimitTable.holder(of: limit, from: entity.parentID, in: tx)
      let new = try LimitTable.holder(of: limit, from: parentID, in: tx)
      guard old != new else { continue }
      let count = try LimitTable.count(limit, within: entity.id, in: tx)
      guard count > 0 else { continue }
      if let new {
        let room = RoomRequest(
          counted: limit.types.joined(separator: " or "),
          count: count,
          action: "\(entity.type).move",
          object: entity.id
        )
        try take(room, limit, of: new, tx)
      }
      if let old { try LimitTable.add(-count, limit, of: old, in: tx) }
    }
  }

  /// Stops counting entities that are deleted together; call before they are.
  func countEnd(of entities: [CountedEntity], _ tx: borrowing WriteTransaction) throws {
    guard !policy.limits.isEmpty else { return }
    let gone = Dictionary(entities.map { ($0.id, $0) }) { first, _ in first }
    for limit in policy.limits {
      var counts: [String: Int64] = [:]
      for entity in entities where limit.types.contains(entity.type) {
        guard let place = Self.place(outside: gone, above: entity, limit) else { continue }
        counts[place, default: 0] += 1
      }
      for (place, count) in counts {
        guard let holder = try LimitTable.holder(of: limit, from: place, in: tx) else { continue }
        try LimitTable.add(-count, limit, of: holder, in: tx)
      }
    }
  }

  /// The nearest entity above one that stays; nil if its holder goes too.
  private static func place(
    outside gone: [String: CountedEntity],
    above entity: CountedEntity,
    _ limit: CountedLimit
  ) -> String? {
    var place = entity.parentID
    while let parent = gone[place] {
      if parent.type == limit.holderType { return nil }
      place = parent.parentID
    }
    return place
  }

  /// Takes room; UNAVAILABLE while the limit is not known, which `write` then asks for.
  private func take(
    _ room: RoomRequest,
    _ limit: CountedLimit,
    of holderID: String,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.rely(on: .policy)
    let holder = FeatureHolder(kind: limit.holderKind, id: holderID)
    guard case .known(let maximum) = core.features.limit(limit.name, of: holder) else {
      throw TenancyError.featuresUnavailable([holder])
    }
    // Nobody counts what is unlimited, but a count that is there stays true.
    guard maximum < .max else { return try LimitTable.add(room.count, limit, of: holderID, in: tx) }
    let used =
      try LimitTable.used(limit, of: holderID, in: tx)
      ?? LimitTable.count(limit, of: holderID, in: tx)
    guard room.count <= maximum - used else {
      throw LimitExceeded(
        limit: limit.name,
        holder: holder,
        maximum: maximum,
        count: used,
        requested: room.count,
        counted: room.counted,
        action: room.action,
        object: room.object
      ).error
    }
    try LimitTable.set(used + room.count, limit, of: holderID, in: tx)
    try tx.tellOfUse(of: limit.name, by: holderID, from: used, to: used + room.count, of: maximum)
  }

  /// The limit and holder that a new entity of a type counts against; nil for none.
  func room(
    for type: String,
    under parentID: String,
    _ tx: borrowing some Queryable
  ) throws -> (limit: String, holderID: String)? {
    guard let limit = policy.limit(counting: type) else { return nil }
    return try LimitTable.holder(of: limit, from: parentID, in: tx).map { (limit.name, $0) }
  }
}

extension WriteTransaction {
  /// Tells other systems when a holder has used up four fifths of a limit, or all of it.
  borrowing func tellOfUse(
    of limit: String,
    by holderID: String,
    from before: Int64,
    to after: Int64,
    of maximum: Int64
  ) throws {
    guard let percent = LimitSteps.reached(from: before, to: after, of: maximum) else { return }
    try event(
      "limit.reached",
      object: holderID,
      scope: try LimitTable.root(of: holderID, in: self),
      EventData(["limit": limit, "percent": "\(percent)", "maximum": "\(maximum)"])
    )
  }
}
