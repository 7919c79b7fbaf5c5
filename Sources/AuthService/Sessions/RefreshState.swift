internal import ServiceKit

/// A session as its refresh tokens see it, and what becomes of one that is shown.
///
/// The token shown is authentic already; what was not made here never gets this far, so that nobody
/// can sign anybody out with rubbish.
public struct RefreshState: Hashable, Sendable {
  /// The newest generation that was given out.
  ///
  /// It is unused: using it makes the next one.
  public var generation: UInt32
  /// When it was, in milliseconds since 1970.
  public var rotated: Int64
  /// When the session ends if it is not refreshed.
  public var idleEnd: Int64
  /// When it ends in any case.
  public var absoluteEnd: Int64
  /// Whether it was revoked.
  public var isRevoked: Bool

  /// How long a token may be shown again whose answer was lost, in milliseconds.
  ///
  /// Bounded, although the successor must be unused as well: a thief could otherwise follow the owner
  /// by one generation forever.
  public static let grace: Int64 = 30_000

  /// The outcome of a token.
  public enum Outcome: Hashable, Sendable {
    /// The newest one: the next generation is given out.
    case rotated
    /// The one before, whose answer was lost: the same successor is given out again.
    case repeated
    /// The session does not take it; nothing changes.
    case refused
    /// An older one: somebody else has a copy. The session is to be revoked.
    case reused
  }

  /// Takes a token of a generation; `lifetimes` says when the next one ends.
  public mutating func take(
    _ shown: UInt32,
    now: Int64,
    lifetimes: SessionLifetimes
  ) -> Outcome {
    guard !isRevoked, now < min(idleEnd, absoluteEnd) else { return .refused }
    // Newer than anything given out: the store is older than the token, a restored copy.
    guard shown <= generation else { return .refused }
    if shown == generation {
      guard generation < .max else { return .refused }
      generation += 1
      rotated = now
      idleEnd = min(now.addingSaturated(lifetimes.idle), absoluteEnd)
      return .rotated
    }
    let age = now.subtractingSaturated(rotated)
    if shown == generation - 1, (-Self.grace...Self.grace).contains(age) { return .repeated }
    isRevoked = true
    return .reused
  }
}
