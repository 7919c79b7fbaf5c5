internal import RPCKit

/// The catalogue: features, and the tiers, add-ons and products that include them.
///
/// Data of the operator's, validated when it is read; see `Catalog+JSON.swift`.
struct Catalog: Hashable, Sendable {
  /// A feature and what it is worth where nothing else says.
  struct Feature: Hashable, Sendable {
    /// Its key: `analytics`.
    var key: String
    /// Its value without tier, add-on, purchase or override.
    var fallback: FeatureValue
    /// How its use is counted here, if it is; only limits are.
    var meter: Meter?
    /// The kind of its values.
    var kind: FeatureKind { fallback.kind }
  }

  /// Something that includes features.
  struct Offer: Hashable, Sendable {
    /// Its name, or a product's identifier in its store.
    var name: String
    /// Of tiers: cheaper ones have lower ranks.
    ///
    /// 0 for everything else.
    var rank: Int32 = 0
    /// Of products whose end the store does not know: how long one lasts from its purchase on, in milliseconds.
    var length: Int64?
    /// Of products: the tier that they give, if any, whose values are among theirs.
    var tier: String?
    /// Of products: the kinds of subject that it can be bought for.
    var subjectKinds: Set<Subject.Kind> = [.user]
    /// Of products that are used up: the points that each gives.
    var points: PointsGift?
    /// Of products: the trials that a free trial of the store counts with, if any.
    var trialGroup: String?
    /// The included values, by key.
    var values: [String: FeatureValue]
  }

  /// Points that a product gives.
  struct PointsGift: Hashable, Sendable {
    /// The app that they are points of.
    var app: String
    /// How many one product gives.
    var points: Int64
  }

  /// All features, by key.
  var features: [String: Feature]
  /// By rank, then name.
  var tiers: [Offer]
  /// By name.
  var addons: [Offer]
  /// By identifier.
  var products: [Offer]
  /// The temporary gifts, by name.
  var promotions: [Promotion]
  /// The tier of a subject without a subscription; nil for none.
  var defaultTier: String?
  /// The tier that stands in for one that is not known; nil makes that an error.
  var unknownTier: String?

  /// The tier of this name.
  func tier(_ name: String) -> Offer? { tiers.first { $0.name == name } }
  /// The add-on of this name.
  func addon(_ name: String) -> Offer? { addons.first { $0.name == name } }
  /// The product of this identifier.
  func product(_ id: String) -> Offer? { products.first { $0.name == id } }

  /// Whether a product is sold to subjects of a kind; one that is not known, to users.
  func sells(_ productID: String, to kind: Subject.Kind) -> Bool {
    (product(productID)?.subjectKinds ?? [.user]).contains(kind)
  }

  /// Throws for a name that no tier has, unless the subject has it already and another one stands in.
  ///
  /// What stands in is for those who have a tier that is sold no more, and not for a mistyped name.
  func requireTier(_ name: String, kept: String?, in field: String) throws(RPCError) {
    guard tier(name) == nil else { return }
    guard name == kept, unknownTier != nil else {
      throw CatalogError.tierUnknown(name, in: field, of: self)
    }
  }

  /// The tier of this name or the one that stands in for it; throws when there is neither.
  func effectiveTier(_ name: String) throws(RPCError) -> Offer {
    guard let tier = tier(name) ?? unknownTier.flatMap(tier) else {
      throw CatalogError.tierUnknown(name)
    }
    return tier
  }
}
