internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The names of the family policy that its handlers speak of; the engine knows none of them.
enum Families: Product {
  static let family = "family"
  static let child = "child"

  /// The role of a child's account on the child's profile.
  static let childRole = "child"

  /// The role of a child's account on the family, which grants something in parent mode alone; a policy may
  /// do without it.
  static let deviceRole = "child_device"

  static let viewFamily = "family.view"
  static let pairDevices = "family.pair_devices"
  static let listPairings = "family.list_pairings"
  static let enterParentMode = "family.enter_parent_mode"
  static let viewChild = "child.view"
  /// The right to see points, on families and children of policies that have them.
  static let viewPoints = "points.view"
  static let enterChildMode = "child.enter_child_mode"

  private static let actions = [
    family: [viewFamily, pairDevices, listPairings, enterParentMode],
    child: [viewChild, enterChildMode],
  ]

  /// Other products may have families whose devices nobody pairs.
  static func isPart(of policy: Policy) -> Bool {
    guard let type = policy.type(named: family), let action = policy.action(named: pairDevices)
    else { return false }
    return policy.rule(of: action, on: type) != nil
  }

  static func services(_ core: TenancyCore) -> [ServiceDefinition] {
    [FamiliesHandler(core: core).definition, ChildDevicesHandler(core: core).definition]
  }

  static func watched(_ metrics: MetricRegistry) -> [ScopeWatchers.Subject] {
    _ = PairingLimit.refusals(metrics)
    return []
  }

  static func purge(_ core: TenancyCore, now: Int64) async throws {
    try await core.database.purge("pairing_code", "expires_at", before: now, by: "selector")
    while try await purgePairings(core, now: now) > 0 {}
  }

  /// Ends pairings whose role has ended by time; how many there were.
  ///
  /// Few at a time, which are looked for without holding other writes up.
  private static func purgePairings(_ core: TenancyCore, now: Int64) async throws -> Int {
    let roles = PairingRoles(core.policy)
    let ended = { @Sendable (tx: borrowing ReadTransaction) in
      try PairingTable.ended(by: roles, at: now, limit: 1, in: tx).count
    }
    guard try await core.database.read(ended) > 0 else { return 0 }
    return try await core.changeOwn { tx in
      let ended = try PairingTable.ended(
        by: roles,
        at: now,
        limit: PairingLimits.pairingsOfFamilyMax,
        in: tx
      )
      for pairing in ended { try PairingTable.end(pairing, in: tx) }
      return ended.count
    }
  }

  static func missing(in policy: Policy) -> [PolicyError.Problem] {
    var missing = policy.missing(actions)
    if policy.type(named: child) != nil, policy.granting(childRole, on: child) == nil {
      missing.append(
        .init(path: "roles.\(childRole)", problem: "must be granted by an action of \(child)")
      )
    }
    if policy.type(named: child) != nil, policy.action(of: .listAssociations, on: child) == nil {
      missing.append(
        .init(
          path: "types.\(child).lifecycle.list_associations",
          problem: "is missing; it tells the accounts of adults from a child's"
        )
      )
    }
    return missing
  }
}

extension Families {
  /// Ends the pairings of a user, with the roles that came with them, and the codes that it made.
  static func erase(
    _ userID: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    for pairing in try PairingTable.all(ofUser: userID, in: tx) {
      _ = try changes.unpair(pairing, tx)
    }
    try tx.execute("DELETE FROM pairing_code WHERE issued_by = ?", .text(userID))
  }

  /// Has AuthService end the PINs of deleted families and the accounts of deleted children.
  static func deleted(
    _ entities: [DeletedEntity],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    for entity in entities where entity.type == child || entity.type == family {
      try EndedFamilyTable.insert(entity.id, in: tx)
    }
  }

  /// Ends the pairings of accounts that have nothing left by which they were paired.
  static func ended(
    _ roles: [EndedRole],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    for held in roles where held.entityType == child || held.entityType == family {
      for pairing in try PairingTable.all(ofUser: held.userID, in: tx)
      where pairing.entityID == held.entityID {
        guard try !changes.carries(pairing, tx) else { continue }
        try PairingTable.end(pairing, in: tx)
        try changes.endDeviceRole(of: pairing, tx)
      }
    }
  }
}

/// Every bound of devices of families.
enum PairingLimits {
  /// How long a code can be used, in milliseconds: 10 minutes.
  static let codeLifetime: Int64 = 600_000
  /// Letters of a code that find it; they are no secret.
  static let selectorLetterCount = 3
  /// Letters of a code, of which five are secret: 23 bits.
  static let codeLetterCount = 8
  /// Wrong tries after which a code is dead.
  static let wrongCountMax: Int64 = 5
  /// Codes of one family that can be used; another one replaces the oldest.
  static let codesOfFamilyMax = 5
  /// Codes that can be used: of 17,576 selectors most must be free, or guesses would find one.
  ///
  /// At the share the oldest of the same account makes room, at the total that of the holder with the most.
  static let codes = SharedBound(total: 2_000, share: 20, ofEach: .account)
  /// Paired devices of one family.
  static let pairingsOfFamilyMax = 100
  /// Wrong codes in ten minutes.
  static let attempts = CodeAttempts.Limits(
    wrong: SharedBound(total: 10_000, share: 5, ofEach: .account),
    kept: 2,
    window: 600_000
  )
}

/// The bounds, as the metric of refusals calls them.
enum PairingLimit: String, CaseIterable, Sendable {
  case codes
  case pairings

  static func refusals(_ registry: MetricRegistry) -> CounterByLabel<PairingLimit> {
    CounterByLabel(
      registry,
      "gatehouse_tenancy_pairing_refusals_total",
      help: "Calls about devices of families that a limit refused, by the limit.",
      label: "limit"
    )
  }
}
