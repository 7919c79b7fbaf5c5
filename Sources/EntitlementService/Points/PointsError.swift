internal import RPCKit
internal import ServiceKit

/// Errors of points: why they cannot be earned, redeemed or taken back.
enum PointsError {
  private static let errors = ErrorCatalog.entitlement

  /// The app has no rule.
  static func ruleMissing(app: String) -> RPCError {
    refused("POINTS_RULE_MISSING", "app \"\(app)\" has no points rule; set one", app)
  }

  /// Another one has set the rule in between.
  static let revisionMismatch = errors.conflict(
    "REVISION_MISMATCH",
    "the rule has changed; read it again and repeat the change"
  )

  /// The rule says that the app earns nothing.
  static func notEarned(app: String) -> RPCError {
    refused("POINTS_NOT_EARNED", "app \"\(app)\" earns no points by its rule", app)
  }

  /// Fewer minutes have passed than are to be earned; after `wait`, so many will have.
  static func earnedTooFast(app: String, available: Int64, wait: Duration) -> RPCError {
    errors.error(
      .failedPrecondition,
      "EARNED_TOO_FAST",
      "app \"\(app)\" can earn \(available) minutes now: minutes are earned as they pass, at most "
        + "\(EarnClock.dayMinutesMax) a day; send fewer, or retry after the given delay",
      ["app": app, "available_minutes": "\(available)"],
      retryAfter: wait
    )
  }

  /// The rule says that the app's points cannot be redeemed.
  static func notRedeemable(app: String) -> RPCError {
    let message = "points of app \"\(app)\" cannot be redeemed by its rule"
    return refused("POINTS_NOT_REDEEMABLE", message, app)
  }

  /// The app has fewer points.
  static func insufficient(app: String, balance: Int64) -> RPCError {
    errors.precondition(
      "INSUFFICIENT_POINTS",
      "app \"\(app)\" has only \(balance) points",
      ["app": app, "balance": "\(balance)"]
    )
  }

  /// The points do not make a whole minute.
  static func belowMinute(app: String, balance: Int64, pointsPerMinute: Int64) -> RPCError {
    errors.precondition(
      "POINTS_BELOW_MINUTE",
      "a minute of reward time costs \(pointsPerMinute) points of app \"\(app)\", which has "
        + "\(balance); redeem at least one minute",
      ["app": app, "balance": "\(balance)", "points_per_minute": "\(pointsPerMinute)"]
    )
  }

  /// The balance would be above the largest.
  static func balanceLimit(app: String) -> RPCError {
    let message =
      "app \"\(app)\" would have more than \(PointsLedger.balanceMax) points; redeem some first"
    return refused("POINTS_LIMIT", message, app)
  }

  /// The holder has as many rules as there may be.
  static let ruleLimit = errors.precondition(
    "POINTS_RULE_LIMIT",
    "the holder already has rules for \(PointsRule.countMax) apps, which is the most"
  )

  /// The reward would run too long, or too many run already.
  static let rewardLimit = errors.precondition(
    "REWARD_LIMIT",
    "reward time may run for at most 366 days, and for at most \(RewardTime.countMax) rewards at a time"
  )

  /// A part of a redemption that says neither how many points nor all.
  static func amountRequired(_ field: String) -> RPCError {
    errors.invalid(field, "AMOUNT_REQUIRED", "must be a number of points, or all")
  }

  /// The same app twice in one redemption.
  static func duplicate(app: String) -> RPCError {
    errors.invalid("parts", "DUPLICATE", "must not name app \"\(app)\" twice")
  }

  /// A reversal that names no transaction, or one beside several.
  static let transactionRequired = errors.invalid(
    "transaction_ids",
    "TRANSACTION_REQUIRED",
    "must be set if transaction_id is not, and only then"
  )

  /// The same transaction twice in one reversal.
  static func duplicate(transaction id: String) -> RPCError {
    errors.invalid("transaction_ids", "DUPLICATE", "must not name transaction \"\(id)\" twice")
  }

  /// The transaction takes something back itself, was bought, or only holds points.
  static func notReversible(_ id: String) -> RPCError {
    let message =
      "transaction \(id) is a reversal, a purchase or part of a request, which cannot be reversed"
    return errors.precondition("NOT_REVERSIBLE", message, ["transaction_id": id])
  }

  /// The reward time has run out.
  static func rewardUsed(_ id: String) -> RPCError {
    let message = "the reward time of transaction \(id) has run out"
    return errors.precondition("REWARD_USED", message, ["transaction_id": id])
  }

  /// As many requests of the holder wait as may.
  static let requestLimit = errors.precondition(
    "POINTS_REQUEST_LIMIT",
    "the holder already has \(PointsRequest.pendingCountMax) requests that wait for approval; decide or "
      + "cancel one first"
  )

  /// The request waits no longer.
  static func requestDecided(_ id: String, _ state: PointsRequest.State) -> RPCError {
    errors.precondition(
      "POINTS_REQUEST_DECIDED",
      "request \(id) is \(state.rawValue)",
      ["request_id": id, "state": state.rawValue]
    )
  }

  private static func refused(_ reason: String, _ message: String, _ app: String) -> RPCError {
    errors.precondition(reason, message, ["app": app])
  }
}
