internal import AccessEngine
internal import ServiceKit

/// How much of a device's history a reader sees.
struct HistoryView: Sendable {
  /// The reader, whose own acts are always shown.
  let reader: String
  /// From when on everything is shown, in milliseconds since 1970.
  let beginning: Int64
}

/// Those to whom the policy shows all of a device see all of its history: managers and owners. Everybody else
/// sees what was done since their own roles reach it without a gap, and what they did themselves: a tenant who
/// moves in is not shown how the former one came and went.
extension HistoryView {
  /// The question whether somebody may see the history of a device, by an action on it, or on what it was
  /// deleted from.
  struct Question: Sendable {
    let action: String
    let entityID: String
    let type: String
  }

  /// How much a reader sees whom the answer to a question lets in.
  ///
  /// The answer is of this moment, and the roles are read a moment later: what was lost in the meantime
  /// shortens the view.
  static func of(
    _ deviceID: String,
    _ question: Question,
    _ explanation: Explanation,
    reader: String,
    now: Int64,
    _ tx: borrowing ReadTransaction
  ) throws -> HistoryView {
    let policy = explanation.policy
    guard let type = policy.type(named: question.type),
      let action = policy.action(named: question.action),
      let rule = policy.rule(of: action, on: type)
    else { return HistoryView(reader: reader, beginning: now) }
    // What was done while it was somebody else's is nobody's to read.
    let floor = try DeviceClaimTable.claimedAt(deviceID, in: tx) ?? .min
    let top = policy.accessLevels(of: type).count - 1
    if top > 0, explanation.accessLevel >= top {
      return HistoryView(reader: reader, beginning: floor)
    }
    let carrier = RoleCarrier(policy: policy, type: type, action: question.action, rule: rule)
    var spans: [Range<Int64>] = []
    for place in try HistoryPlace.all(of: deviceID, below: question.entityID, tx) {
      let definitions = try RoleDefinitionTable.all(of: place.rootID, in: tx)
      for held in try AssociationHistoryTable.all(ofUser: reader, on: place.entityID, in: tx)
      where carrier.carries(held, at: place, own: definitions) {
        let span = held.span()
        let from = max(span.from, place.since)
        if from < span.until { spans.append(from..<span.until) }
      }
    }
    let beginning = chainBeginning(of: spans, now: now)
    return HistoryView(reader: reader, beginning: max(floor, beginning))
  }

  /// Where the spans begin that lead to an instant without a gap; the instant itself when none contains it.
  static func chainBeginning(of spans: [Range<Int64>], now: Int64) -> Int64 {
    var beginning = now
    // Those that end last come first, so each one can only be continued by a later one.
    for span in spans.sorted(by: { $0.upperBound > $1.upperBound })
    where span.lowerBound < beginning && span.upperBound >= beginning {
      beginning = span.lowerBound
    }
    return beginning
  }
}

/// Something from which roles reach a device, and since when it is there.
private struct HistoryPlace {
  let entityID: String
  let rootID: String
  /// The name of the link by which they reach it; nil for what the device is in.
  let link: String?
  /// Since when the device, with all that is between, is there, in milliseconds since 1970.
  let since: Int64

  /// The device itself, what is above it, and what is linked to it; only what is above for one that was deleted
  /// below `survivorID`.
  static func all(
    of deviceID: String,
    below survivorID: String,
    _ tx: borrowing ReadTransaction
  ) throws -> [HistoryPlace] {
    // Of a deleted device only the past knows when it came to where it was.
    var since = Int64.min
    if survivorID != deviceID {
      let left = try tx.first(
        """
        SELECT max(ended_at) FROM past_entity WHERE id = ?1
          AND parent_id <> (SELECT parent_id FROM tombstone WHERE id = ?1)
        """,
        .text(deviceID)
      ) { $0.optionalInteger(0) ?? .min }
      since = left ?? .min
    }
    let above = try tx.query(
      """
      WITH RECURSIVE above (id, parent_id, root_id, placed_at, level) AS (
        SELECT id, parent_id, root_id, placed_at, 0 FROM entity WHERE id = ?
        UNION ALL
        SELECT entity.id, entity.parent_id, entity.root_id, entity.placed_at, above.level + 1
        FROM entity JOIN above ON entity.id = above.parent_id
      )
      SELECT id, root_id, placed_at FROM above ORDER BY level
      """,
      .text(survivorID)
    ) { (id: $0.text(0), rootID: $0.text(1), placedAt: $0.integer(2)) }
    var places: [HistoryPlace] = []
    for entity in above {
      places.append(
        HistoryPlace(entityID: entity.id, rootID: entity.rootID, link: nil, since: since)
      )
      since = max(since, entity.placedAt)
    }
    return try places
      + tx.query(
        """
        SELECT l.from_id, e.root_id, l.link, l.began_at
        FROM entity_link l JOIN entity e ON e.id = l.from_id WHERE l.to_id = ?
        """,
        .text(survivorID)
      ) {
        HistoryPlace(
          entityID: $0.text(0),
          rootID: $0.text(1),
          link: $0.text(2),
          since: $0.integer(3)
        )
      }
  }
}

/// Which roles carry the right to see the history.
private struct RoleCarrier {
  let policy: Policy
  let type: EntityTypeID
  let action: String
  let rule: Policy.ActionRule

  /// Whether a role at a place does; `definitions` are the tenant-defined roles.
  ///
  /// One that was of a definition which is gone does not: what it included is not looked up.
  func carries(
    _ held: AssociationState,
    at place: HistoryPlace,
    own definitions: [RoleDefinitionRecord]
  ) -> Bool {
    guard let role = policy.role(named: held.role) else { return false }
    let definition = definitions.first {
      held.variant.isEmpty ? $0.name == held.role : $0.id == held.variant
    }
    let includes = definition.map { $0.actions.contains(action) } ?? held.variant.isEmpty
    guard includes else { return false }
    if let name = place.link {
      guard let link = policy.link(named: name) else { return false }
      let index = Int(link.index)
      return rule.linkGrants[index].contains(role) && policy[role].throughLinks[index]
    }
    guard definition != nil || rule.grants.contains(role) else { return false }
    return policy[role].heldOn.contains(type) || policy[role].inheritsTo.contains(type)
  }
}
