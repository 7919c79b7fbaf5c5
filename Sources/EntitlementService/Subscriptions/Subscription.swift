internal import RPCKit

/// The subscription of a subject: its tier, add-ons and exceptions.
///
/// Values of the tier are never copied here, so that a change of the tier reaches everyone who has
/// it (getlago/lago-api#5017). Instants are milliseconds since 1970; an end is not included.
struct Subscription: Hashable, Sendable {
  /// An add-on.
  struct Addon: Hashable, Sendable {
    /// Its name.
    var name: String
    /// When it ends; nil for never.
    var validUntil: Int64?
  }

  /// An exception for this subject.
  struct Override: Hashable, Sendable {
    /// Which feature.
    var feature: String
    /// The value; `flag(false)` denies a feature of either kind.
    var value: FeatureValue
    /// When it ends; nil for never.
    var validUntil: Int64?
    /// Why, for people.
    var reason: String = ""

    /// Whether it takes the feature away.
    var isDenial: Bool { value == .flag(false) }
  }

  /// Its tier.
  var tier: String
  /// Whether it is tried and not paid yet.
  var isTrial: Bool = false
  /// When it begins.
  var validFrom: Int64 = 0
  /// Paid until then; nil forever.
  var paidUntil: Int64?
  /// Kept until then although it is not paid.
  var graceUntil: Int64?
  /// Given until then for nothing.
  var complimentaryUntil: Int64?
  /// Its add-ons.
  var addons: [Addon] = []
  /// Its exceptions.
  var overrides: [Override] = []

  /// When the subscription ends: the last of paid, grace and complimentary; nil for never.
  ///
  /// Three instants and not one, so that none can overwrite another (koala73/worldmonitor#3169).
  var end: Int64? {
    guard let paidUntil else { return nil }
    return max(paidUntil, graceUntil ?? paidUntil, complimentaryUntil ?? paidUntil)
  }

  /// Whether it has begun and not ended.
  func isActive(at now: Int64) -> Bool {
    validFrom <= now && end.map { now < $0 } ?? true
  }

  /// Throws when the subscription does not fit what is sold.
  ///
  /// Its tier must be one of the catalogue's; one that was there before may stay, where another one stands in
  /// for it, as `kept`.
  func validate(against catalog: Catalog, kept: String? = nil) throws(RPCError) {
    try catalog.requireTier(tier, kept: kept, in: "subscription.tier")
    if let end, end < validFrom { throw SubscriptionError.emptyWindow }
    var names: Set<String> = []
    for (index, addon) in addons.enumerated() {
      guard catalog.addon(addon.name) != nil else {
        let field = "subscription.addons[\(index)].name"
        throw CatalogError.addonUnknown(addon.name, in: field, of: catalog)
      }
      guard names.insert(addon.name).inserted else { throw CatalogError.duplicate(addon.name) }
    }
    var seen: Set<String> = []
    for (index, override) in overrides.enumerated() {
      let field = "subscription.overrides[\(index)].feature"
      guard let feature = catalog.features[override.feature] else {
        throw CatalogError.featureUnknown(override.feature, in: field, of: catalog)
      }
      guard override.isDenial || override.value.kind == feature.kind else {
        throw CatalogError.typeMismatch(override.feature, in: field)
      }
      // One denial and one value may stand side by side, with ends of their own.
      guard seen.insert("\(override.isDenial) \(override.feature)").inserted else {
        throw CatalogError.duplicate(override.feature)
      }
    }
  }
}
