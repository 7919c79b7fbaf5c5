internal import Contracts
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
      pointsPerRewardMinute: UInt32(clamping: pointsPerRewardMinute)
    )
  }
}

extension PointsEntryKind {
  /// The kind of a request; nil when it asks for all.
  init?(_ wire: Entitlement_V1.PointsEntryKind) {
    switch wire {
    case .earn: self = .earn
    case .redeem: self = .redeem
    case .reverseEarn: self = .reverseEarn
    case .reverseRedeem: self = .reverseRedeem
    default: return nil
    }
  }

  /// The kind as it is sent.
  var wire: Entitlement_V1.PointsEntryKind {
    switch self {
    case .earn: .earn
    case .redeem: .redeem
    case .reverseEarn: .reverseEarn
    case .reverseRedeem: .reverseRedeem
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

extension PointsError {
  /// The error as callers see it.
  var rpcError: RPCError {
    switch self {
    case .ruleMissing(let app):
      refused("POINTS_RULE_MISSING", "app \"\(app)\" has no points rule; set one", ["app": app])
    case .notEarned(let app):
      refused("POINTS_NOT_EARNED", "app \"\(app)\" earns no points by its rule", ["app": app])
    case .notRedeemable(let app):
      refused(
        "POINTS_NOT_REDEEMABLE",
        "points of app \"\(app)\" cannot be redeemed by its rule",
        ["app": app]
      )
    case .insufficient(let app, let balance):
      refused(
        "INSUFFICIENT_POINTS",
        "app \"\(app)\" has only \(balance) points",
        ["app": app, "balance": "\(balance)"]
      )
    case .belowMinute(let app, let balance, let pointsPerMinute):
      refused(
        "POINTS_BELOW_MINUTE",
        "a minute of reward time costs \(pointsPerMinute) points of app \"\(app)\", which has "
          + "\(balance); redeem at least one minute",
        ["app": app, "balance": "\(balance)", "points_per_minute": "\(pointsPerMinute)"]
      )
    case .balanceLimit(let app):
      refused(
        "POINTS_LIMIT",
        "app \"\(app)\" would have more than \(PointsLedger.balanceMax) points; redeem some first",
        ["app": app]
      )
    case .ruleLimit:
      refused(
        "POINTS_RULE_LIMIT",
        "the holder already has rules for \(PointsRule.countMax) apps, which is the most"
      )
    case .rewardLimit:
      refused(
        "REWARD_LIMIT",
        "reward time may run for at most 366 days, and for at most \(RewardTime.countMax) rewards "
          + "at a time"
      )
    case .duplicate(let app):
      ServiceFault.invalidField("parts", "DUPLICATE", "must not name app \"\(app)\" twice")
    case .transactionUnknown: ServiceFault.notFound
    case .notReversible:
      refused("NOT_REVERSIBLE", "the transaction is a reversal, which cannot be reversed")
    case .rewardUsed:
      refused("REWARD_USED", "the reward time of this transaction has run out")
    }
  }

  private func refused(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: reason,
      domain: ServiceFault.domain,
      message: message,
      metadata: metadata
    )
  }
}
