/// Counts attempts of everybody together, so that no caller takes the turn of another.
///
/// A holder has its share. When all together have spent the total, a holder still has the few attempts that
/// are kept for each: so many wrong attempts of a thousand others do not keep anybody from being right.
package final class SharedLimiter: Sendable {
  /// Which limit an attempt ran into.
  package enum Limit: Hashable, Sendable {
    case share
    case total
  }

  /// An attempt that may be given back.
  package struct Attempt: Sendable {
    fileprivate let name: [UInt8]
    fileprivate let isKept: Bool
  }

  /// The outcome of an attempt.
  package enum Outcome: Sendable {
    case taken(Attempt)
    /// There may be another one after so many milliseconds.
    case refused(Limit, wait: Int64)
  }

  /// Everybody is one name here.
  private static let everybody: [UInt8] = []

  private let shares: SourceLimiter
  private let total: SourceLimiter
  private let kept: SourceLimiter

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - bound: How many attempts there are in a window.
  ///   - kept: How many of its share each holder has whatever the others do.
  ///   - window: The time in which they come back, in milliseconds.
  ///   - holderCount: Holders that are remembered; of more, those with the fewest attempts are forgotten.
  ///   - key: Makes a secret of 32 bytes.
  package init(
    _ bound: SharedBound,
    kept: Int,
    window: Int64,
    holderCount: Int = 16_384,
    key: () -> [UInt8]
  ) {
    precondition(kept > 0 && kept <= bound.share, "something of a share must be kept")
    func limiter(_ limit: Int, _ count: Int) -> SourceLimiter {
      SourceLimiter(limit: limit, window: window, sourceCount: count, key: key())
    }
    shares = limiter(bound.share, holderCount)
    total = limiter(bound.total, 1)
    self.kept = limiter(kept, holderCount)
  }

  /// Takes an attempt of a holder.
  package func take(_ name: [UInt8], now: Int64) -> Outcome {
    if case .refused(let wait) = shares.take(name, now: now) {
      return .refused(.share, wait: wait)
    }
    guard case .refused(let wait) = total.take(Self.everybody, now: now) else {
      return .taken(Attempt(name: name, isKept: false))
    }
    guard case .refused = kept.take(name, now: now) else {
      return .taken(Attempt(name: name, isKept: true))
    }
    shares.giveBack(name)
    return .refused(.total, wait: wait)
  }

  /// Gives an attempt back: it was right, or did not come to be.
  package func giveBack(_ attempt: Attempt) {
    shares.giveBack(attempt.name)
    if attempt.isKept { kept.giveBack(attempt.name) } else { total.giveBack(Self.everybody) }
  }
}
