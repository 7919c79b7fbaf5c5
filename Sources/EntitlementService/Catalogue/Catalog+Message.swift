internal import Contracts
internal import RPCKit
internal import ServiceKit

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
