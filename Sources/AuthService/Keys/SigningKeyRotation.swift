internal import ServiceKit

/// When keys that sign access tokens come and go.
///
/// A key is published before it signs, so that everyone knows it by then, and stays published until
/// the last token that it signed has ended.
public struct SigningKeyRotation: Hashable, Sendable {
  /// How long a key signs, in milliseconds.
  public var period: Int64
  /// How long before that it is published.
  public var lead: Int64
  /// How long after that it stays published: a token's life, the difference between clocks, and an
  /// hour for those who keep key sets.
  public var overlap: Int64

  /// 30 days, 10 minutes, 75 minutes and a half.
  public static let standard = SigningKeyRotation(
    period: 30 * 86_400_000,
    lead: 10 * 60_000,
    overlap: 15 * 60_000 + 30_000 + 3_600_000
  )

  /// The steps to take now.
  public struct Plan: Hashable, Sendable {
    /// A new key is needed, to sign from then on.
    public var newKeyFrom: Int64?
    /// Keys that need no longer be published.
    public var retired: [String]
  }

  /// Keys of a future that a clock only claimed, at most; the nearest ones are kept.
  static let futureCountMax = 4

  /// The plan for keys of these names, each signing from the time with it.
  ///
  /// There is always one that signs now: a clock that was ahead when keys were made and was set right
  /// since must not keep anybody out until it is there again. Keys of such a future do not count, and
  /// are kept all the same, because it may as well be the present that is wrong. Only at `confirmed`,
  /// the time that has certainly come, is a key retired.
  public func plan(
    _ keys: [(id: String, from: Int64)],
    now: Int64,
    confirmed: Int64
  ) -> Plan {
    let sorted = keys.sorted { ($0.from, $0.id) < ($1.from, $1.id) }
    let horizon = now.addingSaturated(lead)
    let planned = sorted.prefix { $0.from <= horizon }
    var plan = Plan(
      newKeyFrom: nil,
      retired: sorted.dropFirst(planned.count + Self.futureCountMax).map(\.id)
    )
    guard let newest = planned.last, planned.contains(where: { $0.from <= now }) else {
      plan.newKeyFrom = now
      return plan
    }
    let end = newest.from.addingSaturated(period)
    if now >= end.subtractingSaturated(lead) { plan.newKeyFrom = max(end, horizon) }
    for (key, successor) in zip(planned, planned.dropFirst())
    where min(now, confirmed) > successor.from.addingSaturated(overlap) {
      plan.retired.append(key.id)
    }
    return plan
  }

  /// The key that signs now: the newest of those whose time has come.
  public func signer(_ keys: [(id: String, from: Int64)], now: Int64) -> String? {
    let ready = keys.filter { $0.from <= now }
    return ready.max { ($0.from, $0.id) < ($1.from, $1.id) }?.id
  }

  /// Until when tokens of a key may be accepted, given when its successor begins, if there is one.
  public func end(from: Int64, successor: Int64?, now: Int64) -> Int64 {
    let signsUntil = successor ?? max(from.addingSaturated(period), now.addingSaturated(lead))
    return signsUntil.addingSaturated(overlap)
  }
}
