internal import RPCKit

/// How points are earned in one app, and what reward time costs in its points.
struct PointsRule: Hashable, Sendable {
  /// The app or category, as the client names it.
  var app: String
  /// Points that a minute in the app earns; 0 for none.
  var pointsPerMinute: Int64
  /// Points that a minute of reward time costs; 0 when they cannot be redeemed.
  var pointsPerRewardMinute: Int64
  /// Whether redeeming its points takes approval.
  var requiresApproval = false
  /// Counts the changes of the rule; 0 for one that is not there.
  var revision: Int64 = 0

  /// Rules of one holder, so that lists of rules and balances need no pages.
  static let countMax = 500

  /// The points for `minutes` in the app.
  ///
  /// The contract bounds both factors, so that their product is far from the largest number.
  func earning(_ minutes: Int64) throws(RPCError) -> PointsPosting {
    guard pointsPerMinute > 0 else { throw PointsError.notEarned(app: app) }
    return PointsPosting(
      kind: .earn,
      app: app,
      points: pointsPerMinute * minutes,
      minutes: minutes,
      pointsPerMinute: pointsPerMinute
    )
  }

  /// The points that redeeming takes from `balance`: only what makes whole minutes, so that nothing is lost to
  /// rounding.
  ///
  /// `amount` is how many points may be taken; nil means all of them.
  func redeeming(
    _ amount: Int64?,
    of balance: Int64,
    for reward: String
  ) throws(RPCError) -> PointsPosting {
    guard pointsPerRewardMinute > 0 else { throw PointsError.notRedeemable(app: app) }
    let offered = amount ?? balance
    guard offered <= balance else { throw PointsError.insufficient(app: app, balance: balance) }
    let minutes = rewardMinutes(for: offered)
    guard minutes > 0 else {
      throw PointsError.belowMinute(
        app: app,
        balance: balance,
        pointsPerMinute: pointsPerRewardMinute
      )
    }
    return PointsPosting(
      kind: .redeem,
      app: app,
      points: minutes * pointsPerRewardMinute,
      minutes: minutes,
      pointsPerMinute: pointsPerRewardMinute,
      reward: reward
    )
  }

  /// Whole minutes of reward time that so many points are worth.
  func rewardMinutes(for points: Int64) -> Int64 {
    pointsPerRewardMinute > 0 ? points / pointsPerRewardMinute : 0
  }
}
