internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension EntitlementSource {
  /// The source as it is sent.
  var wire: Entitlement_V1.Source {
    switch self {
    case .fallback: .default
    case .tier: .tier
    case .addon: .addon
    case .override: .override
    case .purchase: .purchase
    case .promotion: .promotion
    }
  }
}

extension UnlockedBy {
  /// The unlocking offers, as they are sent.
  var wire: Entitlement_V1.UnlockedBy {
    .init(tier: tier ?? "", addons: addons, products: products)
  }
}

extension Plan {
  /// The plan as it is sent.
  func wire(of subject: Subject) -> Entitlement_V1.Plan {
    .init(
      tier: tier,
      subject: subject.wire,
      source: source,
      productId: productID,
      store: store,
      purchaseId: purchaseID,
      promotion: promotion,
      expiresAt: expiresAt.map { .init(milliseconds: $0) },
      renewal: renewal,
      renewsAt: renewsAt.map { .init(milliseconds: $0) },
      trial: isTrial,
      renewalProductId: renewalProductID
    )
  }
}

extension Resolution {
  /// The entitlement as it is sent.
  func wire(_ unlockedBy: UnlockedBy?) -> Entitlement_V1.Entitlement {
    var limit: Limit?
    if case .limit(let value) = value { limit = value }
    return .init(
      key: key,
      available: value.isAvailable,
      reason: reason,
      limit: limit?.wire,
      source: winner.source.wire,
      validUntil: validUntil.map { .init(milliseconds: $0) },
      unlockedBy: unlockedBy?.wire
    )
  }
}

extension Decision {
  /// The answer as it is sent; nobody may rely on it after `latest`.
  func wire(version: UInt64, latest: Int64) -> Entitlement_V1.CheckResponse {
    .init(
      allowed: isAllowed,
      reason: reason,
      limit: limit?.wire,
      remaining: remaining,
      source: source?.wire ?? .unspecified,
      unlockedBy: unlockedBy?.wire,
      validUntil: .init(milliseconds: min(validUntil ?? latest, latest)),
      version: version
    )
  }
}

extension Entitlement_V1.GetEntitlementsResponse {
  /// The same for those who may not see what was bought, when and until when: tier, features, limits and what would
  /// unlock more.
  var featuresAlone: Self {
    var answer = self
    answer.addons = []
    answer.products = []
    answer.promotions = []
    answer.plan = plan.map { .init(tier: $0.tier, subject: $0.subject) }
    answer.entitlements = entitlements.map { entitlement in
      var entitlement = entitlement
      entitlement.validUntil = nil
      return entitlement
    }
    return answer
  }
}
