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
  /// The digest of the attempt that made the newest generation; nil if it was made without one.
  public var attempt: [UInt8]?
  /// Those of the generations before it.
  var earlierAttempts = EarlierAttempts()
  /// How often the newest generation was given out again.
  public var repeatCount: Int64 = 0

  /// How long a token may be shown again whose answer was lost, in milliseconds.
  ///
  /// Bounded, although the successor must be unused as well: a thief could otherwise follow the owner
  /// by one generation forever.
  public static let grace: Int64 = 30_000
  /// The same with the attempt that made the successor, which no thief of tokens has.
  ///
  /// Bounded too, because a used token that is good for anything is to be forgotten some day.
  public static let attemptGrace: Int64 = 86_400_000
  /// How often a generation is given out again: each time is recorded.
  public static let repeatCountMax: Int64 = 100

  /// The outcome of a token.
  public enum Outcome: Hashable, Sendable {
    /// The newest one: the next generation is given out.
    case rotated
    /// The one before, whose answer was lost: the same successor is given out again.
    case repeated
    /// The same, but that was done too often; nothing changes.
    case repeatedTooOften
    /// The session does not take it; nothing changes.
    case refused
    /// An older one, with the attempt that used it once: a refresh that was carried out late; nothing changes.
    case overtaken
    /// An older one: somebody else has a copy. The session is to be revoked.
    case reused
  }

  /// Takes a token of a generation; `lifetimes` says when the next one ends.
  ///
  /// `attempt` is the digest of what the client calls this refresh.
  public mutating func take(
    _ shown: UInt32,
    attempt: [UInt8]? = nil,
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
      earlierAttempts.add(self.attempt)
      self.attempt = attempt
      repeatCount = 0
      return .rotated
    }
    if shown < generation - 1 {
      // The shown generation was used to make the next one, and the newest one is not among the earlier ones.
      let distance = Int(generation - shown) - 2
      if earlierAttempts.contains(attempt, ofGeneration: distance) { return .overtaken }
    }
    guard shown == generation - 1, mayRepeat(attempt, age: age(at: now)) else {
      isRevoked = true
      return .reused
    }
    guard repeatCount < Self.repeatCountMax else { return .repeatedTooOften }
    repeatCount += 1
    return .repeated
  }

  /// Whether a repetition at `now` comes so late that the access token of the first answer may be over.
  func isLate(at now: Int64) -> Bool { age(at: now) > Self.grace }

  /// How long ago the newest generation was given out; negative by a clock that was ahead then.
  func age(at now: Int64) -> Int64 { now.subtractingSaturated(rotated) }

  /// Whether the newest generation, of this age and unused, is given out again.
  private func mayRepeat(_ attempt: [UInt8]?, age: Int64) -> Bool {
    if (-Self.grace...Self.grace).contains(age) { return true }
    guard let attempt, let first = self.attempt else { return false }
    return Digests.areEqual(attempt, first) && (0...Self.attemptGrace).contains(age)
  }
}
