internal import AccessEngine
internal import ServiceKit

/// A tree of the store under two policies: the one in force, and one that would be loaded instead.
///
/// Decisions are those of the engine, of people who have proved themselves in every way and as if every feature were
/// paid for: neither is known of people who have not called.
struct ComparedTree: Sendable {
  private var before: Forest
  private var after: Forest
  /// The users whose roles were added.
  private var users: Set<String> = []
  /// The entities directly below each.
  private let children: [String: [String]]
  /// Where the links of each lead.
  private let targets: [String: [String]]
  private let types: [String: String]

  /// The identifier of the uppermost entity.
  let root: String

  init(_ tree: StoredTree, from current: Policy, to next: Policy, zones: any TimeZoneSource) {
    root = tree.root
    before = Self.forest(of: tree, under: current, zones: zones)
    after = Self.forest(of: tree, under: next, zones: zones)
    children = Dictionary(grouping: tree.entities, by: \.parentID).mapValues { $0.map(\.id) }
    targets = Dictionary(grouping: tree.links, by: \.from).mapValues { $0.map(\.to) }
    types = Dictionary(tree.entities.map { ($0.id, $0.type) }) { first, _ in first }
  }

  /// The forest of one tree and the roles on the system, as one policy sees them.
  static func forest(
    of tree: StoredTree,
    under policy: Policy,
    zones: any TimeZoneSource
  ) -> Forest {
    var forest = Forest(policy: policy, zones: zones)
    forest.revision = tree.revision
    _ = forest.hold(tree.rows(under: policy))
    // Those on the system are not in the tree.
    for record in tree.associations where record.entityID == Forest.systemIdentifier {
      if let row = record.row(policy) { forest.apply(.putAssociation(row)) }
    }
    return forest
  }

  /// The number of entities.
  var count: Int { types.count }

  /// Whether decisions about a user can be made.
  func knows(_ userID: String) -> Bool { users.contains(userID) }

  /// Adds all roles of a user, in the tree and on the system.
  mutating func add(_ roles: [AssociationRecord], of userID: String) {
    for record in roles {
      if let row = record.row(before.policy) { before.apply(.putAssociation(row)) }
      if let row = record.row(after.policy) { after.apply(.putAssociation(row)) }
    }
    users.insert(userID)
  }

  /// An action on an entity that comes out differently.
  struct Difference: Sendable {
    let action: String
    let entityID: String
    let type: String
    /// Whether it would be allowed, and is not; the opposite otherwise.
    let isGained: Bool
  }

  /// The decisions about a user that differ, of some actions on what is at or below an entity, or linked from there.
  func differences(
    of userID: String,
    in actions: [TypedAction],
    at top: String,
    now: Int64
  ) -> [Difference] {
    let byType = Dictionary(grouping: actions, by: \.type)
    return reach(of: top).flatMap { id -> [Difference] in
      guard let type = types[id], let actions = byType[type] else { return [] }
      return actions.compactMap { action in
        let isAllowed = Self.isAllowed(action, userID, id, before, now: now)
        let wouldBe = Self.isAllowed(action, userID, id, after, now: now)
        guard isAllowed != wouldBe else { return nil }
        return Difference(action: action.action, entityID: id, type: type, isGained: wouldBe)
      }
    }
  }

  /// The types of what is at or below an entity, or linked from there.
  func types(at top: String) -> Set<String> { Set(reach(of: top).compactMap { types[$0] }) }

  /// The entities that a role on one may reach, itself first.
  private func reach(of top: String) -> [String] {
    var (found, seen) = ([top], Set([top]))
    var place = 0
    while place < found.count {
      let id = found[place]
      place += 1
      for next in (children[id] ?? []) + (targets[id] ?? []) where seen.insert(next).inserted {
        found.append(next)
      }
    }
    return found
  }

  private static func isAllowed(
    _ action: TypedAction,
    _ userID: String,
    _ entityID: String,
    _ forest: Forest,
    now: Int64
  ) -> Bool {
    guard let action = forest.policy.action(named: action.action) else { return false }
    return forest.decide(
      subject: userID,
      action: action,
      entity: entityID,
      context: .assumed,
      now: now
    ).isAllowed
  }
}

/// An action, and the type of the entities that it is done to.
struct TypedAction: Hashable, Sendable {
  let action: String
  let type: String
}
