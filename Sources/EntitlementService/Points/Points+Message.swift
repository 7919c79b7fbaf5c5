internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PointsRule {
  /// The rule of a request, whose fields were checked.
  init(_ wire: Entitlement_V1.PointsRule) {
    self.init(
      app: wire.app,
      pointsPerMinute: Int64(wire.pointsPerMinute),
      pointsPerRewardMinute: Int64(wire.pointsPerRewardMinute)
    )
  }

  /// The rule as it is sent.
  var wire: Entitlement_V1.PointsRule {
    .init(
      app: app,
      pointsPerMinute: UInt32(clamping: pointsPerMinute),
      pointsPerRewardMinute: UInt32(clamping: pointsPerRewardMinute),
      revision: "\(revision)"
    )
  }
}

extension PointsEntryKind {
  /// The kind of a request; nil when it asks for all.
  init?(_ wire: Entitlement_V1.PointsEntryKind) {
    guard let kind = Self.allCases.first(where: { $0.wire == wire }) else { return nil }
    self = kind
  }

  /// The kind as it is sent.
  var wire: Entitlement_V1.PointsEntryKind {
    switch self {
    case .earn: .earn
    case .redeem: .redeem
    case .reverseEarn: .reverseEarn
    case .reverseRedeem: .reverseRedeem
    case .grant: .grant
    case .reverseGrant: .reverseGrant
    }
  }
}

extension PointsEntry {
  /// The entry as it is sent.
  var wire: Entitlement_V1.PointsEntry {
    .init(
      number: number,
      transactionId: transactionID,
      kind: posting.kind.wire,
      app: posting.app,
      points: posting.points,
      balance: balance,
      minutes: posting.minutes,
      pointsPerMinute: posting.pointsPerMinute,
      reward: posting.reward,
      reversedTransactionId: posting.reversedID ?? "",
      actorId: actorID,
      occurredAt: .init(milliseconds: occurredAt)
    )
  }
}

extension RewardTime {
  /// The reward time as it is sent.
  func wire(at now: Int64) -> Entitlement_V1.ActiveReward {
    .init(
      reward: reward,
      endsAt: .init(milliseconds: endsAt),
      secondsLeft: left(at: now) / 1000
    )
  }
}
