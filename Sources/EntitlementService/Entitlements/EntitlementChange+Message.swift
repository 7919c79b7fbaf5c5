internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension ChangeCause {
  /// The cause as it is sent.
  var wire: Entitlement_V1.ChangeCause {
    switch self {
    case .purchase: .purchase
    case .restore: .restore
    case .notification: .notification
    case .refund: .refund
    case .revocation: .revocation
    case .transfer: .transfer
    case .buyerLeft: .buyerLeft
    case .operator: .operator
    case .service: .service
    case .trial: .trial
    case .coupon: .coupon
    case .scheduling: .scheduling
    case .schedule: .schedule
    case .start: .start
    case .expiry: .expiry
    }
  }
}

extension ChangeEffect {
  /// The effect as it is sent.
  var wire: Entitlement_V1.ChangeEffect {
    switch self {
    case .began: .began
    case .ended: .ended
    case .changed: .changed
    }
  }
}

extension EntitlementPart.Kind {
  /// The kind of part as it is sent.
  var wire: Entitlement_V1.Source {
    switch self {
    case .tier: .tier
    case .addon: .addon
    case .override: .override
    case .purchase: .purchase
    case .promotion: .promotion
    }
  }
}

extension EntitlementChangeRecord {
  /// The entry as it is sent.
  var wire: Entitlement_V1.EntitlementChange {
    .init(
      version: UInt64(clamping: place.version),
      cause: cause.wire,
      effect: change.effect.wire,
      source: change.part.kind.wire,
      name: change.part.name,
      occurredAt: .init(milliseconds: occurredAt),
      endsAt: change.endsAt.map { .init(milliseconds: $0) },
      requestId: requestID
    )
  }
}

extension EntitlementChangePlace {
  /// The place that a page token was made of.
  init?(cursor: [String]) {
    guard cursor.count == 2, let version = Int64(cursor[0]), let place = Int64(cursor[1]) else {
      return nil
    }
    self.init(version: version, place: place)
  }

  /// The parts of a page token.
  var cursor: [String] { ["\(version)", "\(place)"] }
}
