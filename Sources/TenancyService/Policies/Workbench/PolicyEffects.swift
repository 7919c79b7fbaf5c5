internal import AccessEngine
internal import PeerContracts
internal import ServiceKit
internal import TenancyContracts

/// The people whom a change of the policy concerns, by the roles that they have now.
struct PolicyEffects: Sendable {
  /// Actions that a role allows from then on, no longer, or under other conditions.
  private struct Change: Sendable {
    var gained: Set<String> = []
    var lost: Set<String> = []
    var changed: Set<String> = []
  }

  struct Page: Sendable {
    var effects: [Tenancy_V1.PolicyEffect] = []
    /// The last association that was looked at; nil when there are no more.
    var last: String?
  }

  /// Associations that one call looks at, at most.
  private static let examinedCountMax = 10_000

  private let changes: [String: Change]
  /// The actions of each role, before and after.
  private let before: [String: Set<String>]
  private let after: [String: Set<String>]

  init(_ difference: PolicyDifference, from current: Policy, to next: Policy) {
    var changes: [String: Change] = [:]
    for change in difference.grants {
      guard let action = change.grant?.action else { continue }
      if change.before == nil {
        changes[change.role, default: .init()].gained.insert(action)
      } else if change.after == nil {
        changes[change.role, default: .init()].lost.insert(action)
      } else {
        changes[change.role, default: .init()].changed.insert(action)
      }
    }
    self.changes = changes
    (before, after) = (Self.actions(of: current), Self.actions(of: next))
  }

  private static func actions(of policy: Policy) -> [String: Set<String>] {
    let roles = PolicyDescription(policy).roles
    return Dictionary(roles.map { ($0.name, Set($0.grants.map(\.action))) }) { first, _ in first }
  }

  /// The changes of what roles allow, as answers have them.
  static func changes(_ difference: PolicyDifference) -> [Tenancy_V1.PolicyChange] {
    difference.grants.map { change in
      .init(
        role: change.role,
        action: change.grant?.action ?? "",
        types: change.grant.map { [$0.type] } ?? [],
        kind: change.before == nil ? .gained : change.after == nil ? .lost : .conditions,
        before: change.before?.rules.trimmingSpaces ?? "",
        after: change.after?.rules.trimmingSpaces ?? ""
      )
    }
  }

  /// One page, of associations in the order of their identifiers.
  func page(
    after id: String,
    limit: Int,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Page {
    guard !changes.isEmpty else { return Page() }
    let found = try AssociationTable.inForce(
      after: id,
      limit: Self.examinedCountMax,
      now: now,
      in: tx
    )
    var page = Page()
    for record in found {
      guard page.effects.count < limit else { return page }
      page.last = record.id
      if let effect = try effect(on: record, now: now, in: tx) { page.effects.append(effect) }
    }
    if found.count < Self.examinedCountMax { page.last = nil }
    return page
  }

  private func effect(
    on record: AssociationRecord,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Tenancy_V1.PolicyEffect? {
    guard let change = changes[record.role] else { return nil }
    let others = try AssociationTable.beside(record, in: tx)
      .filter { $0.id != record.id && $0.variant.isEmpty && ($0.validUntil ?? .max) > now }
      .map(\.role)
    // A tenant's own role has the actions that it was made of, and never more.
    let gained = record.variant.isEmpty ? change.gained : []
    let had = others.reduce(into: Set<String>()) { $0.formUnion(before[$1] ?? []) }
    let has = others.reduce(into: Set<String>()) { $0.formUnion(after[$1] ?? []) }
    let effect = Tenancy_V1.PolicyEffect(
      userId: record.userID,
      role: record.customRole.isEmpty ? record.role : record.customRole,
      entityId: record.entityID,
      entityType: record.entityType,
      gained: gained.subtracting(had).sorted(),
      lost: change.lost.subtracting(has).sorted(),
      changed: change.changed.sorted()
    )
    let isNothing = effect.gained.isEmpty && effect.lost.isEmpty && effect.changed.isEmpty
    return isNothing ? nil : effect
  }
}

extension String {
  fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}

extension AssociationTable {
  /// The first associations behind one that are not over, in the order of their identifiers.
  fileprivate static func inForce(
    after id: String,
    limit: Int,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      """
      WHERE a.id > ? AND (a.valid_until IS NULL OR a.valid_until > ?)
      ORDER BY a.id LIMIT ?
      """,
      .text(id),
      .integer(now),
      .integer(limit)
    )
  }

  /// All associations of the same user on the same entity.
  fileprivate static func beside(
    _ record: AssociationRecord,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE a.user_id = ? AND a.entity_id = ?",
      .text(record.userID),
      .text(record.entityID)
    )
  }
}

extension Tenancy_V1.PolicyEffect: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &userName)
  }
}
