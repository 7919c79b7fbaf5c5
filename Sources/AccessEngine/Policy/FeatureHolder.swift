/// The holder whose subscription says which features an entity has: the nearest entity upwards whose type says so.
public struct FeatureHolder: Hashable, Sendable {
  /// The kind of subscriber; a policy says which types of entities are one (`holds_features_as`).
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// As a policy has it.
    public let rawValue: String

    /// A kind.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A portfolio.
    public static let portfolio = Self(rawValue: "portfolio")
    /// An organization.
    public static let organization = Self(rawValue: "organization")
    /// A family.
    public static let family = Self(rawValue: "family")
    /// The kinds that entities can be; users hold features too, but are no entities.
    public static let ofEntities: [Self] = [.portfolio, .organization, .family]
  }

  /// The kind.
  public let kind: Kind
  /// The entity.
  public let id: String

  /// A holder.
  public init(kind: Kind, id: String) {
    self.kind = kind
    self.id = id
  }
}

/// The known features of a holder at an instant.
public enum KnownFeatures: Hashable, Sendable {
  /// It has these and no others, which may be relied on until then, in milliseconds since 1970.
  case known([String], until: Int64)
  /// It has to be asked for.
  case missing
}

/// The known value of a limit of a holder.
public enum KnownLimit: Hashable, Sendable {
  /// At most this many; `Int64.max` is unlimited.
  case known(Int64)
  /// It has to be asked for.
  case missing
}

/// Tells which features and limits holders have.
public protocol FeatureSource: Sendable {
  /// The features known without asking anybody; called under the engine's lock, so it must be short.
  func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures

  /// A limit as far as it is known without asking anybody; 0 for one that the holder does not have.
  func limit(_ name: String, of holder: FeatureHolder) -> KnownLimit

  /// Asks, so that `features` and `limit` know it for a while.
  ///
  /// Throws when it cannot be found out.
  func fetch(_ holder: FeatureHolder) async throws

  /// The offers that unlock a feature that a holder lacks, in words for an error's metadata; empty when that
  /// is not known.
  func unlocking(_ feature: String, of holder: FeatureHolder) -> [String: String]

  /// Asks for the offers with which a limit would have room for `requested` beside `count`, in the same words;
  /// empty when that cannot be found out.
  func raising(
    _ limit: String,
    of holder: FeatureHolder,
    count: Int64,
    requested: Int64
  ) async -> [String: String]
}

extension FeatureSource {
  /// Nothing is known.
  public func unlocking(_ feature: String, of holder: FeatureHolder) -> [String: String] { [:] }

  /// Nothing is known.
  public func raising(
    _ limit: String,
    of holder: FeatureHolder,
    count: Int64,
    requested: Int64
  ) async -> [String: String] { [:] }
}

/// There is no EntitlementService: nothing was paid for, and nothing is limited.
package struct NoFeatures: FeatureSource {
  package init() {}

  package func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures {
    .known([], until: .max)
  }

  package func limit(_ name: String, of holder: FeatureHolder) -> KnownLimit { .known(.max) }

  package func fetch(_ holder: FeatureHolder) async throws {}
}
