internal import AccessEngine
internal import PeerContracts
internal import ServiceKit
internal import TenancyContracts

/// The actions that roles allow from then on, no longer, or under other conditions.
struct RoleChanges: Sendable {
  private struct Change: Sendable {
    var gained: Set<TypedAction> = []
    var lost: Set<TypedAction> = []
    var conditional: Set<TypedAction> = []
  }

  private let changes: [String: Change]
  /// The actions of each role, before and after.
  private let before: [String: Set<String>]
  private let after: [String: Set<String>]

  init(_ difference: PolicyDifference, from current: Policy, to next: Policy) {
    var changes: [String: Change] = [:]
    for change in difference.grants {
      guard let grant = change.grant else { continue }
      let action = TypedAction(action: grant.action, type: grant.type)
      if change.before == nil {
        changes[change.role, default: .init()].gained.insert(action)
      } else if change.after == nil {
        changes[change.role, default: .init()].lost.insert(action)
      } else {
        changes[change.role, default: .init()].conditional.insert(action)
      }
    }
    self.changes = changes
    (before, after) = (Self.actions(of: current), Self.actions(of: next))
  }

  private static func actions(of policy: Policy) -> [String: Set<String>] {
    let roles = PolicyDescription(policy).roles
    return Dictionary(roles.map { ($0.name, Set($0.grants.map(\.action))) }) { first, _ in first }
  }

  var isEmpty: Bool { changes.isEmpty }

  /// The actions of a role that change in any way, in an order of their own; nil for a role that stays as it is.
  func actions(of role: String) -> [TypedAction]? {
    changes[role].map { change in
      change.gained.union(change.lost).union(change.conditional)
        .sorted { ($0.action, $0.type) < ($1.action, $1.type) }
    }
  }

  /// The actions that a role allows under other conditions.
  func conditional(of role: String) -> Set<TypedAction> { changes[role]?.conditional ?? [] }

  /// The change for the holder of a role, by their roles on the same entity alone; nil for nothing.
  func effect(
    on record: AssociationRecord,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Tenancy_V1.PolicyEffect? {
    guard let change = changes[record.role] else { return nil }
    let others = try AssociationTable.all(ofUser: record.userID, on: record.entityID, in: tx)
      .filter { $0.id != record.id && $0.variant.isEmpty && ($0.validUntil ?? .max) > now }
      .map(\.role)
    // A tenant's own role has the actions that it was made of, and never more.
    let gained = record.variant.isEmpty ? change.gained : []
    let had = others.reduce(into: Set<String>()) { $0.formUnion(before[$1] ?? []) }
    let has = others.reduce(into: Set<String>()) { $0.formUnion(after[$1] ?? []) }
    var effect = Tenancy_V1.PolicyEffect(of: record)
    effect.gained = Set(gained.map(\.action)).subtracting(had).sorted()
    effect.lost = Set(change.lost.map(\.action)).subtracting(has).sorted()
    effect.changed = Set(change.conditional.map(\.action)).sorted()
    effect.byRoles = true
    let isNothing = effect.gained.isEmpty && effect.lost.isEmpty && effect.changed.isEmpty
    return isNothing ? nil : effect
  }
}

extension Tenancy_V1.PolicyChange {
  /// A change of what a role allows, as answers have it.
  init(_ change: PolicyDifference.GrantChange) {
    self.init(
      role: change.role,
      action: change.grant?.action ?? "",
      types: change.grant.map { [$0.type] } ?? [],
      kind: change.before == nil ? .gained : change.after == nil ? .lost : .conditions,
      before: change.before?.rules.trimmingSpaces ?? "",
      after: change.after?.rules.trimmingSpaces ?? ""
    )
  }
}

extension String {
  fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}
