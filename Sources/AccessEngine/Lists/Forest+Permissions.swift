internal import PackedTables

extension Forest {
  /// All that a subject may do on one entity, and what gives it that.
  package struct Permissions: Sendable {
    package let entity: UInt32
    /// The roles that it has there now.
    package let roles: RoleSet
    /// The allowed actions, in the order of the policy.
    package let actions: [ActionID]
    /// In milliseconds since 1970.
    package let validUntil: Int64
  }

  /// A part of all that a subject may do at or below an entity.
  package struct PermissionsPart: Sendable {
    /// One for each entity on which it has a role; on none twice unless something has moved.
    package internal(set) var permissions: [Permissions] = []
    /// Where the next part begins; nil at the end.
    package internal(set) var cursor: PermissionsCursor?
    /// How many entities were looked at.
    package internal(set) var stepCount = 0
    /// Until when this is all, in milliseconds since 1970.
    package internal(set) var validUntil: Int64
    /// The holder whose features must be known before this is more than a guess.
    package internal(set) var missing: FeatureHolder?
    /// Whether the subject's roles on the system reach into all trees: what it has in each is for a question of its own.
    package internal(set) var reachesTrees = false
  }

  /// Where a part ends, as texts that a page token can carry.
  package struct PermissionsCursor: Hashable, Sendable {
    /// Three texts.
    package let texts: [String]

    /// A cursor that was made into texts.
    package init(texts: [String]) { self.texts = texts }

    init(_ cursor: HoldingWalk.Cursor) {
      texts = [cursor.start, cursor.entity, "\(cursor.path)"]
    }

    var place: HoldingWalk.Cursor? {
      guard texts.count == 3, let path = UInt64(texts[2]) else { return nil }
      return HoldingWalk.Cursor(start: texts[0], entity: texts[1], path: path)
    }
  }

  /// The next entities at or below one on which a subject has a role, and all that it may do on each.
  ///
  /// Looks at `stepCountMax` entities and finds `countMax` at most. What stays where it is while somebody
  /// asks for one part after the other is in one of them; once something has been moved or removed it may
  /// be in two. Below the system it is the system alone if roles there reach into all trees: `reachesTrees`.
  package func permissions(
    of id: String,
    below top: String,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource,
    after cursor: PermissionsCursor?,
    countMax: Int,
    stepCountMax: Int
  ) -> PermissionsPart {
    var part = PermissionsPart(validUntil: now + Decision.lifetimeMax)
    // Asked for first: what is not in memory shows by that alone.
    let entity = entity(top)
    guard let subject = subject(id) else {
      if top == Self.systemIdentifier { lack(rolesOf: id) }
      return part
    }
    // Windows count also below what is not there: that nothing is reported of it must not show.
    var walk = HoldingWalk(subject: subject, below: entity, now: now, self)
    part.validUntil = min(part.validUntil, walk.edge)
    part.reachesTrees = walk.reachesTrees
    if let place = cursor?.place { walk.resume(after: place, self) }
    while let (entity, isHeld) = walk.look(self) {
      part.stepCount += 1
      if isHeld {
        let listed = listActions(
          subject: subject,
          entity: entity,
          context: context,
          now: now,
          features
        )
        part.missing = part.missing ?? listed.missing
        part.validUntil = min(part.validUntil, listed.validUntil)
        part.permissions.append(
          Permissions(
            entity: entity,
            roles: listed.roles,
            actions: listed.actions,
            validUntil: listed.validUntil
          )
        )
      }
      if part.permissions.count == countMax || part.stepCount == stepCountMax {
        part.cursor = PermissionsCursor(walk.cursor(after: entity, self))
        return part
      }
      walk.advance(self)
    }
    return part
  }
}
