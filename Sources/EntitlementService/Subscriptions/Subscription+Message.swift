internal import PeerContracts
internal import EntitlementContracts
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
        throw SubscriptionError.valueRequired("subscription.overrides[\(index)].feature")
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

extension ScheduledChange {
  /// The change as it is sent.
  func wire(of subject: Subject) -> Entitlement_V1.ScheduledChange {
    .init(
      id: id,
      subject: subject.wire,
      effectiveAt: .init(milliseconds: effectiveAt),
      tier: tier,
      paidUntil: paidUntil.map { .init(milliseconds: $0) }
    )
  }
}
