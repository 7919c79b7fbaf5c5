public import RPCKit

/// The subscription of a subject: its tier, add-ons and exceptions.
///
/// Values of the tier are never copied here, so that a change of the tier reaches everyone who has
/// it (getlago/lago-api#5017). Instants are milliseconds since 1970; an end is not included.
public struct Subscription: Hashable, Sendable {
  /// An add-on.
  public struct Addon: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// When it ends; nil for never.
    public var validUntil: Int64?

    /// Makes an add-on.
    public init(name: String, validUntil: Int64? = nil) {
      self.name = name
      self.validUntil = validUntil
    }
  }

  /// An exception for this subject.
  public struct Override: Hashable, Sendable {
    /// Which feature.
    public var feature: String
    /// The value; `flag(false)` denies a feature of either kind.
    public var value: FeatureValue
    /// When it ends; nil for never.
    public var validUntil: Int64?
    /// Why, for people.
    public var reason: String

    /// Makes an override.
    public init(
      feature: String,
      value: FeatureValue,
      validUntil: Int64? = nil,
      reason: String = ""
    ) {
      self.feature = feature
      self.value = value
      self.validUntil = validUntil
      self.reason = reason
    }

    /// Whether it takes the feature away.
    public var isDenial: Bool { value == .flag(false) }
  }

  /// Its tier.
  public var tier: String
  /// Whether it is tried and not paid yet.
  public var isTrial: Bool
  /// When it begins.
  public var validFrom: Int64
  /// Paid until then; nil forever.
  public var paidUntil: Int64?
  /// Kept until then although it is not paid.
  public var graceUntil: Int64?
  /// Given until then for nothing.
  public var complimentaryUntil: Int64?
  /// Its add-ons.
  public var addons: [Addon]
  /// Its exceptions.
  public var overrides: [Override]

  /// Makes a subscription.
  public init(
    tier: String,
    isTrial: Bool = false,
    validFrom: Int64 = 0,
    paidUntil: Int64? = nil,
    graceUntil: Int64? = nil,
    complimentaryUntil: Int64? = nil,
    addons: [Addon] = [],
    overrides: [Override] = []
  ) {
    self.tier = tier
    self.isTrial = isTrial
    self.validFrom = validFrom
    self.paidUntil = paidUntil
    self.graceUntil = graceUntil
    self.complimentaryUntil = complimentaryUntil
    self.addons = addons
    self.overrides = overrides
  }

  /// When the subscription ends: the last of paid, grace and complimentary; nil for never.
  ///
  /// Three instants and not one, so that none can overwrite another (koala73/worldmonitor#3169).
  public var end: Int64? {
    guard let paidUntil else { return nil }
    return max(paidUntil, graceUntil ?? paidUntil, complimentaryUntil ?? paidUntil)
  }

  /// Whether it has begun and not ended.
  public func isActive(at now: Int64) -> Bool {
    validFrom <= now && end.map { now < $0 } ?? true
  }

  /// Throws when the subscription does not fit what is sold.
  ///
  /// Its tier must be one of the catalogue's; one that was there before may stay, where another one stands in
  /// for it, as `kept`.
  public func validate(against catalog: Catalog, kept: String? = nil) throws(RPCError) {
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
