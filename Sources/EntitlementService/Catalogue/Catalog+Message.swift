internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension Limit {
  /// The limit of a request; nil for one without a value.
  init?(_ wire: Entitlement_V1.Limit) {
    switch wire.value {
    case .maximum(let maximum): self = .atMost(max(0, maximum))
    case .unlimited(true): self = .unlimited
    case .unlimited(false), nil: return nil
    }
  }

  /// The limit as it is sent.
  var wire: Entitlement_V1.Limit {
    switch self {
    case .atMost(let maximum): .init(value: .maximum(maximum))
    case .unlimited: .init(value: .unlimited(true))
    }
  }
}

extension FeatureValue {
  /// The value of a request; nil for none.
  init?(_ wire: Entitlement_V1.FeatureValue) {
    switch wire.value {
    case .enabled(let isOn): self = .flag(isOn)
    case .limit(let limit):
      guard let limit = Limit(limit) else { return nil }
      self = .limit(limit)
    case nil: return nil
    }
  }

  /// The value as it is sent.
  func wire(key: String) -> Entitlement_V1.FeatureValue {
    switch self {
    case .flag(let isOn): .init(key: key, value: .enabled(isOn))
    case .limit(let limit): .init(key: key, value: .limit(limit.wire))
    }
  }
}

extension Catalog {
  /// Tiers, add-ons and promotions as they are sent, but for coupons.
  var wire: Entitlement_V1.ListTiersResponse {
    func values(_ offer: Offer) -> [Entitlement_V1.FeatureValue] {
      offer.values.sorted { $0.key < $1.key }.map { $0.value.wire(key: $0.key) }
    }
    return .init(
      tiers: tiers.map { .init(name: $0.name, rank: $0.rank, features: values($0)) },
      addons: addons.map { .init(name: $0.name, features: values($0)) },
      promotions: promotions.filter { $0.kind != .coupon }.map(\.wire)
    )
  }
}

extension Promotion.Kind {
  /// The kind as it is sent.
  var wire: Entitlement_V1.PromotionKind {
    switch self {
    case .trial: .trial
    case .coupon: .coupon
    case .campaign: .campaign
    }
  }
}

extension Promotion.Gift {
  /// The tier that it is; empty for an add-on.
  var tier: String { if case .tier(let name) = self { name } else { "" } }
  /// The add-on that it is; empty for a tier.
  var addon: String { if case .addon(let name) = self { name } else { "" } }
}

extension Promotion {
  /// The promotion as a subject has it.
  func wire(until end: Int64) -> Entitlement_V1.ActivePromotion {
    .init(
      name: name,
      kind: kind.wire,
      tier: gift.tier,
      addon: gift.addon,
      endsAt: .init(milliseconds: end)
    )
  }

  /// The promotion as it is listed.
  var wire: Entitlement_V1.Promotion {
    .init(
      name: name,
      kind: kind.wire,
      tier: gift.tier,
      addon: gift.addon,
      days: UInt32(clamping: duration / 86_400_000),
      startsAt: startsAt.map { .init(milliseconds: $0) },
      endsAt: endsAt.map { .init(milliseconds: $0) },
      subjectKinds: Subject.Kind.allCases.filter { subjectKinds.contains($0) }.map(\.wire)
    )
  }
}
