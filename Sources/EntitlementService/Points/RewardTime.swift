internal import RPCKit

/// Reward time that runs out by the clock.
struct RewardTime: Hashable, Sendable {
  /// The purpose.
  var reward: String
  /// When it runs out, in milliseconds since 1970.
  var endsAt: Int64

  private static let minute: Int64 = 60_000
  /// The longest time ahead: 366 days, far below where a sum of milliseconds could overflow.
  private static let aheadMax: Int64 = 366 * 24 * 60 * minute
  /// Rewards of one holder that run at a time.
  static let countMax = 100

  /// Milliseconds that are left.
  func left(at now: Int64) -> Int64 { max(0, endsAt - now) }

  /// Whole minutes that are left.
  func minutesLeft(at now: Int64) -> Int64 { left(at: now) / Self.minute }

  /// Begins, or goes on, `minutes` longer.
  mutating func extend(by minutes: Int64, at now: Int64) throws(RPCError) {
    let base = max(endsAt, now)
    guard minutes <= Self.aheadMax / Self.minute,
      base - now + minutes * Self.minute <= Self.aheadMax
    else { throw PointsError.rewardLimit }
    endsAt = base + minutes * Self.minute
  }

  /// Runs out `minutes` sooner.
  mutating func shorten(by minutes: Int64) { endsAt -= minutes * Self.minute }
}
