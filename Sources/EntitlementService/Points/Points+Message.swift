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
      pointsPerRewardMinute: Int64(wire.pointsPerRewardMinute),
      requiresApproval: wire.requiresApproval
    )
  }

  /// The rule as it is sent.
  var wire: Entitlement_V1.PointsRule {
    .init(
      app: app,
      pointsPerMinute: UInt32(clamping: pointsPerMinute),
      pointsPerRewardMinute: UInt32(clamping: pointsPerRewardMinute),
      requiresApproval: requiresApproval,
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
    case .hold: .hold
    case .release: .release
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

extension PointsRequest.State {
  /// The state of a request; nil when it asks for all.
  init?(_ wire: Entitlement_V1.PointsRequestState) {
    guard let state = Self.allCases.first(where: { $0.wire == wire }) else { return nil }
    self = state
  }

  /// The state as it is sent.
  var wire: Entitlement_V1.PointsRequestState {
    switch self {
    case .pending: .pending
    case .approved: .approved
    case .declined: .declined
    case .cancelled: .cancelled
    case .expired: .expired
    }
  }
}

extension PointsRequest {
  /// The request as it is sent, with the entries that hold its points.
  func wire(_ held: [PointsEntry], at now: Int64) -> Entitlement_V1.PointsRequest {
    .init(
      id: id,
      holderId: holder,
      state: state(at: now).wire,
      reward: reward,
      parts: held.map {
        .init(app: $0.posting.app, points: $0.posting.points, minutes: $0.posting.minutes)
      },
      minutes: held.reduce(0) { $0 + $1.posting.minutes },
      requestedBy: requestedBy,
      requestedAt: .init(milliseconds: requestedAt),
      expiresAt: .init(milliseconds: expiresAt),
      decidedBy: decidedBy,
      decidedAt: decidedAt.map { .init(milliseconds: $0) },
      transactionId: transactionID
    )
  }

  /// The same, with entries that are read.
  func wire(at now: Int64, in tx: borrowing some Queryable) throws -> Entitlement_V1.PointsRequest {
    wire(try PointsLedger(holder: holder).entries(of: holdID, in: tx), at: now)
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
