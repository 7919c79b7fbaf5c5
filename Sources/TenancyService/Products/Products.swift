internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A product with an interface of its own, beside the generic `Entities` and `Roles`.
protocol Product: SendableMetatype {
  /// Whether a policy has any of its types.
  static func isPart(of policy: Policy) -> Bool

  /// The names that its handlers need and a policy of which it is a part does not have.
  static func missing(in policy: Policy) -> [PolicyError.Problem]

  /// Its RPCs.
  static func services(_ core: TenancyCore) -> [ServiceDefinition]

  /// The changes that its streams watch, besides those of every product.
  static func watched(_ instruments: TenancyInstruments) -> [ScopeWatchers.Subject]

  /// Forgets what it has kept for long enough.
  static func purge(_ core: TenancyCore, now: Int64) async throws

  /// Ends what a user has whose account is deleted, besides roles and invitations.
  static func erase(_ userID: String, _ changes: ChangeSet, _ tx: borrowing WriteTransaction) throws

  /// Ends what hangs on associations that have ended in the same transaction.
  static func ended(
    _ associations: [AssociationRecord],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws
}

extension Product {
  static func erase(
    _ userID: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {}

  static func ended(
    _ associations: [AssociationRecord],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {}

  static func watched(_ instruments: TenancyInstruments) -> [ScopeWatchers.Subject] { [] }
}

/// The one place that knows which products there are.
enum Products {
  private static let all: [any Product.Type] = [SmartHome.self, Families.self]

  /// Products that a policy has any type of.
  static func parts(of policy: Policy) -> [any Product.Type] {
    all.filter { $0.isPart(of: policy) }
  }

  /// RPCs of the products whose types the policy has.
  static func services(of core: TenancyCore) -> [ServiceDefinition] {
    parts(of: core.policy).flatMap { $0.services(core) }
  }

  /// The watchers of the products' changes, by their kind.
  static func watchers(_ instruments: TenancyInstruments) -> [String: ScopeWatchers] {
    let subjects = all.flatMap { $0.watched(instruments) }
    return Dictionary(uniqueKeysWithValues: subjects.map { ($0.kind, ScopeWatchers($0)) })
  }

  /// Forgets what the products have kept for long enough.
  static func purge(_ core: TenancyCore, now: Int64) async throws {
    for product in all { try await product.purge(core, now: now) }
  }

  /// Ends what a user has of any product, whichever the policy has now.
  static func erase(
    _ userID: String,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    for product in all { try product.erase(userID, changes, tx) }
  }

  /// Ends what hangs on associations that have ended, of any product.
  static func ended(
    _ associations: [AssociationRecord],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    for product in all { try product.ended(associations, changes, tx) }
  }

  /// The names that a policy lacks of the products that it has a part of, or that are served.
  static func missing(
    in policy: Policy,
    serving served: [any Product.Type]
  ) -> [PolicyError.Problem] {
    let needed = all.filter { product in
      product.isPart(of: policy) || served.contains { $0 == product }
    }
    return needed.flatMap { $0.missing(in: policy) }
  }
}
