internal import PeerContracts

/// Where a value comes from.
enum EntitlementSource: Hashable, Sendable {
  /// The default of the feature.
  case fallback
  /// The tier of this name.
  case tier(String)
  /// The add-on of this name.
  case addon(String)
  /// An override of the subject.
  case override
  /// A purchase of this product.
  case purchase(String)
  /// The promotion of this name.
  case promotion(String)
}

/// Why something is available or not: the contract names the reasons.
typealias EntitlementReason = Entitlement_V1.Reason

/// The value of a feature for a subject at an instant, and its origin.
struct Resolution: Hashable, Sendable {
  /// One thing that had a say.
  struct Part: Hashable, Sendable {
    /// The source.
    var source: EntitlementSource
    /// The value.
    var value: FeatureValue
  }

  /// The feature's key.
  var key: String
  /// Everything that had a say at that instant, the strongest first.
  var parts: [Part]
  /// Why the feature is available or not.
  var reason: EntitlementReason
  /// When the value changes by itself: milliseconds since 1970, nil for never.
  var validUntil: Int64?

  /// The part that decided.
  var winner: Part { parts[0] }
  /// The feature's value.
  var value: FeatureValue { winner.value }
}

/// The offers that would make something available.
struct UnlockedBy: Hashable, Sendable {
  /// The cheapest tier that includes it.
  var tier: String?
  /// Add-ons that include it, sorted.
  var addons: [String] = []
  /// Products that include it, sorted.
  var products: [String] = []
}

/// The answer to a question about a feature or a limit.
struct Decision: Hashable, Sendable {
  /// Whether it is allowed.
  var isAllowed: Bool { reason == .available }
  /// Why.
  var reason: EntitlementReason
  /// The limit, for a question about one.
  var limit: Limit?
  /// How many more there may be; nil when unlimited or not about a limit.
  var remaining: Int64?
  /// The deciding source; nil when the question could not be asked.
  var source: EntitlementSource?
  /// The offers that would allow it, when it is not.
  var unlockedBy: UnlockedBy?
  /// When the answer changes by itself: milliseconds since 1970, nil for never.
  var validUntil: Int64?
}
