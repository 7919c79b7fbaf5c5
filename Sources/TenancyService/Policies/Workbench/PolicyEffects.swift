internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// The people whom a change of the policy concerns, by decisions about what there is now.
///
/// Roles are gone through one by one; for each that changes, the decisions about its holder are made under both policies,
/// on all that the role may reach. So other roles of theirs count, and so do rules that look at attributes or hours.
struct PolicyEffects: Sendable {
  struct Page: Sendable {
    var effects: [Tenancy_V1.PolicyEffect] = []
    /// Where the roles are held that they show.
    var looks: [OperatorLooks.Look] = []
    /// The last association that was looked at; nil when there are no more.
    var last: String?
  }

  /// Associations that one call looks at, at most.
  private static let examinedCountMax = 10_000
  /// Entities of a tree on each of which decisions are made; of larger ones roles alone are compared.
  static let treeCountMax = 20_000
  /// Entities that one call reads or decides on before it ends its page: a second or two.
  private static let entityCountMax = 200_000

  private let changes: RoleChanges
  private let current: Policy
  private let next: Policy

  init(_ difference: PolicyDifference, from current: Policy, to next: Policy) {
    changes = RoleChanges(difference, from: current, to: next)
    (self.current, self.next) = (current, next)
  }

  /// One page, of associations in the order of their identifiers.
  func page(after id: String, limit: Int, _ core: TenancyCore) async throws -> Page {
    guard !changes.isEmpty else { return Page() }
    let now = core.clock.now
    let found = try await core.store.read { tx in
      try AssociationTable.inForce(after: id, limit: Self.examinedCountMax, now: now, in: tx)
    }
    var (page, tree, entityCount) = (Page(), ComparedTree?.none, 0)
    for record in found {
      guard page.effects.count < limit, entityCount < Self.entityCountMax else { return page }
      page.last = record.id
      guard let actions = changes.actions(of: record.role) else { continue }
      if tree?.root != record.rootID {
        tree = try await self.tree(of: record, core)
        entityCount += tree?.count ?? 0
      }
      let effect =
        if tree != nil {
          try await effect(on: record, actions, &tree, now: now, core)
        } else {
          try await core.store.read { tx in
            try changes.effect(on: record, now: now, in: tx)
          }
        }
      entityCount += tree?.count ?? 0
      if let effect {
        page.effects.append(effect)
        page.looks.append(.init(entityID: record.entityID, rootID: record.rootID))
      }
      try Task.checkCancellation()
    }
    if found.count < Self.examinedCountMax { page.last = nil }
    return page
  }

  /// The tree of an association; nil for one on the system, and for a tree that is too large.
  private func tree(
    of record: AssociationRecord,
    _ core: TenancyCore
  ) async throws -> ComparedTree? {
    guard record.entityID != Forest.systemIdentifier else { return nil }
    let stored = try await core.store.read { tx -> StoredTree? in
      let root = record.rootID
      guard try !TreeReader.isLarger(root, than: Self.treeCountMax, in: tx) else { return nil }
      return try TreeReader.records(of: root, roles: [], in: tx)
    }
    return stored.map { ComparedTree($0, from: current, to: next, zones: core.zones) }
  }

  /// The gains and losses of the holder of a role; nil for none.
  private func effect(
    on record: AssociationRecord,
    _ actions: [TypedAction],
    _ tree: inout ComparedTree?,
    now: Int64,
    _ core: TenancyCore
  ) async throws -> Tenancy_V1.PolicyEffect? {
    if tree?.knows(record.userID) == false {
      let roles = try await core.store.read { tx in
        try TreeReader.roles(of: record.userID, inTree: record.rootID, in: tx)
      }
      tree?.add(roles, of: record.userID)
    }
    guard let tree else { return nil }
    let differences = tree.differences(
      of: record.userID,
      in: actions,
      at: record.entityID,
      now: now
    )
    let (gained, lost) = (differences.filter(\.isGained), differences.filter { !$0.isGained })
    let decided = Set(differences.map(\.action))
    let types = tree.types(at: record.entityID)
    let changed = changes.conditional(of: record.role).filter {
      !decided.contains($0.action) && types.contains($0.type)
    }
    guard !differences.isEmpty || !changed.isEmpty else { return nil }
    var effect = Tenancy_V1.PolicyEffect(of: record)
    effect.gained = Set(gained.map(\.action)).sorted()
    effect.lost = Set(lost.map(\.action)).sorted()
    effect.changed = Set(changed.map(\.action)).sorted()
    effect.objects = UInt32(clamping: Set(differences.map(\.entityID)).count)
    effect.exampleId = differences.first?.entityID ?? ""
    effect.exampleType = differences.first?.type ?? ""
    return effect
  }
}

extension Tenancy_V1.PolicyEffect {
  /// An effect on the holder of a role, without what it is.
  init(of record: AssociationRecord) {
    self.init(
      userId: record.userID,
      role: record.customRole.isEmpty ? record.role : record.customRole,
      entityId: record.entityID,
      entityType: record.entityType
    )
  }
}

extension Tenancy_V1.PolicyEffect: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(userId, &userName)
  }
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
}
