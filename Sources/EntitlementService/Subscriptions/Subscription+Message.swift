internal import Contracts
internal import RPCKit
internal import ServiceKit

extension Subscription {
  /// The subscription of a request.
  ///
  /// Throws INVALID_ARGUMENT for an override without a value; what does not fit the catalogue is
  /// found by `validate`.
  init(_ wire: Entitlement_V1.Subscription) throws(RPCError) {
    var overrides: [Override] = []
    for (index, override) in wire.overrides.enumerated() {
      guard let feature = override.feature, let value = FeatureValue(feature) else {
        throw ServiceFault.invalidField(
          "subscription.overrides[\(index)].feature",
          "VALUE_REQUIRED",
          "must be set"
        )
      }
      overrides.append(
        Override(
          feature: feature.key,
          value: value,
          validUntil: override.validUntil?.milliseconds,
          reason: override.reason
        )
      )
    }
    self.init(
      tier: wire.tier,
      isTrial: wire.trial,
      validFrom: wire.validFrom?.milliseconds ?? 0,
      paidUntil: wire.paidUntil?.milliseconds,
      graceUntil: wire.graceUntil?.milliseconds,
      complimentaryUntil: wire.complimentaryUntil?.milliseconds,
      addons: wire.addons.map { Addon(name: $0.name, validUntil: $0.validUntil?.milliseconds) },
      overrides: overrides
    )
  }

  /// The subscription as it is sent.
  func wire(of subject: Subject, version: UInt64) -> Entitlement_V1.Subscription {
    func timestamp(_ milliseconds: Int64?) -> Google_Protobuf.Timestamp? {
      milliseconds.map { .init(milliseconds: $0) }
    }
    return .init(
      subject: subject.wire,
      tier: tier,
      trial: isTrial,
      validFrom: validFrom == 0 ? nil : timestamp(validFrom),
      paidUntil: timestamp(paidUntil),
      graceUntil: timestamp(graceUntil),
      complimentaryUntil: timestamp(complimentaryUntil),
      addons: addons.map { .init(name: $0.name, validUntil: timestamp($0.validUntil)) },
      overrides: overrides.map { override in
        .init(
          feature: override.value.wire(key: override.feature),
          validUntil: timestamp(override.validUntil),
          reason: override.reason
        )
      },
      version: version
    )
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
