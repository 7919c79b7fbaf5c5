public import Foundation

/// The offers that would unlock a feature.
public struct UnlockedBy: Codable, Hashable, Sendable {
  /// The cheapest tier that includes it.
  public var tier: String?
  /// Add-ons that include it.
  public var addons: [String]?
  /// Products of a store that include it.
  public var products: [String]?
}

/// A feature as a subject has it.
public struct Entitlement: Codable, Hashable, Sendable {
  /// A limit: a number, or none.
  public struct Limit: Codable, Hashable, Sendable {
    /// At most this many; 64-bit numbers are text.
    public var maximum: String?
    /// Whether there is no limit.
    public var unlimited: Bool?

    /// The number; absent if there is none.
    public var number: Int? { unlimited == true ? nil : Int(maximum ?? "0") ?? 0 }
  }

  /// The feature.
  public var key: String
  /// Whether it is available.
  public var available: Bool
  /// Why.
  public var reason: String?
  /// The limit, if it is one.
  public var limit: Limit?
  /// When the value changes by itself.
  public var validUntil: Date?
  /// The offers that would unlock it.
  public var unlockedBy: UnlockedBy?
}

/// Plan and features of a subject, from `GET /entitlements`.
struct PlanTable: Codable, Equatable, Sendable {
  var tier: String
  var entitlements: [Entitlement]
  var validUntil: Date?
  private var places: [String: Int] = [:]

  private enum CodingKeys: String, CodingKey { case tier, entitlements, validUntil }

  /// Makes the places for reads, after decoding.
  mutating func makePlaces() {
    places = Dictionary(
      entitlements.enumerated().map { ($0.element.key, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func entitlement(_ feature: Feature) -> Entitlement? {
    places[feature.rawValue].map { entitlements[$0] }
  }
}
