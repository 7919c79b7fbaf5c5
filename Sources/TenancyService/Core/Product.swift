internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// A role that a user no longer has on an entity.
struct EndedRole: Hashable, Sendable {
  let userID: String
  let entityID: String
  let entityType: String
}

/// An entity that is no longer there.
struct DeletedEntity: Hashable, Sendable {
  let id: String
  let type: String
}

/// A product with an interface of its own, beside the generic `Entities` and `Roles`.
protocol Product: SendableMetatype {
  /// Whether a policy has any of its types.
  static func isPart(of policy: Policy) -> Bool

  /// The names that its handlers need and a policy of which it is a part does not have.
  static func missing(in policy: Policy) -> [PolicyError.Problem]

  /// Its RPCs.
  static func services(_ core: TenancyCore) -> [ServiceDefinition]

  /// Registers its metrics, and says what its streams watch.
  static func watched(_ metrics: MetricRegistry) -> [ScopeWatchers.Subject]

  /// Forgets what it has kept for long enough.
  static func purge(_ core: TenancyCore, now: Int64) async throws

  /// Ends what a user has whose account is deleted, besides roles and invitations.
  static func erase(_ userID: String, _ changes: ChangeSet, _ tx: borrowing WriteTransaction) throws

  /// Ends what hangs on roles that have ended in the same transaction.
  static func ended(
    _ roles: [EndedRole],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws

  /// Ends what other services have for entities that were deleted in the same transaction.
  static func deleted(
    _ entities: [DeletedEntity],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws

  /// Whether entities of a type show the holders of a role in a list that can be set on them.
  static func listsHolders(of role: String, on type: String) -> Bool

  /// Whether entities of a type are devices, which watching apps get whole.
  static func isDevice(_ type: String) -> Bool

  /// A device, for a user with these rights to it; nil when it is not there.
  static func device(
    _ id: String,
    _ held: Explanation,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.Device?

  /// The types of parents that show their children of a type in a list that can be set on them.
  static func parents(listing type: String) -> [String]
}

extension Product {
  static func listsHolders(of role: String, on type: String) -> Bool { false }

  static func parents(listing type: String) -> [String] { [] }

  static func isDevice(_ type: String) -> Bool { false }

  static func device(
    _ id: String,
    _ held: Explanation,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.Device? { nil }

  static func erase(
    _ userID: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {}

  static func ended(
    _ roles: [EndedRole],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {}

  static func deleted(
    _ entities: [DeletedEntity],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {}

  static func watched(_ metrics: MetricRegistry) -> [ScopeWatchers.Subject] { [] }
}

extension [any Product.Type] {
  /// Whether any of them shows the holders of a role on entities of a type in a list.
  func listHolders(of role: String, on type: String) -> Bool {
    contains { $0.listsHolders(of: role, on: type) }
  }

  /// Those that a policy has any type of.
  func parts(of policy: Policy) -> [any Product.Type] { filter { $0.isPart(of: policy) } }

  /// The parts that a policy lacks of the products that it has a part of, or that are served.
  func missing(in policy: Policy, serving served: [any Product.Type]) -> [PolicyError.Problem] {
    let needed = filter { product in
      product.isPart(of: policy) || served.contains { $0 == product }
    }
    return needed.flatMap { $0.missing(in: policy) }
  }
}

extension Policy {
  /// Which types, and which actions on them, a product lacks that names them by type.
  func missing(_ actions: [String: [String]]) -> [PolicyError.Problem] {
    var missing: [PolicyError.Problem] = []
    for (name, actions) in actions.sorted(by: { $0.key < $1.key }) {
      guard let type = type(named: name) else {
        missing.append(.init(path: "types.\(name)", problem: "is missing"))
        continue
      }
      for name in actions where action(named: name).map({ hasRule(of: $0, on: type) }) != true {
        missing.append(
          .init(path: "types.\(self[type].name).actions.\(name)", problem: "is missing")
        )
      }
    }
    return missing
  }
}
