/// Why points cannot be earned, redeemed or taken back.
enum PointsError: Error, Hashable, Sendable {
  /// The app has no rule.
  case ruleMissing(app: String)
  /// The rule says that the app earns nothing.
  case notEarned(app: String)
  /// The rule says that the app's points cannot be redeemed.
  case notRedeemable(app: String)
  /// The app has fewer points.
  case insufficient(app: String, balance: Int64)
  /// The points do not make a whole minute.
  case belowMinute(app: String, balance: Int64, pointsPerMinute: Int64)
  /// The balance would be above the largest.
  case balanceLimit(app: String)
  /// The holder has as many rules as there may be.
  case ruleLimit
  /// The reward would run too long, or too many run already.
  case rewardLimit
  /// The same app twice in one redemption.
  case duplicate(app: String)
  /// The holder has no such transaction.
  case transactionUnknown
  /// The transaction takes something back itself.
  case notReversible
  /// The reward time has run out.
  case rewardUsed
}
