internal import RPCKit

/// A follower's knowledge of its stream, and its reaction when the stream ends.
///
/// Pure: time and randomness are arguments.
struct WatchProgress {
  /// Why a stream is over.
  enum Ending: String, CaseIterable {
    /// The caller's credentials expired, as a service token does every minute or two.
    case credentialsExpired = "credentials_expired"
    /// Nothing was heard for the length of the lease, though the stream was open.
    case silent
    /// The stream failed, or the other side ended it.
    case lost
  }

  /// The next step after a stream.
  enum Next: Equatable {
    /// Open the next one immediately; what is known stays known for the rest of the lease.
    case reopen
    /// Wait; `isNews` if changes were heard until now, so that this is worth a line in the log.
    case pause(Duration, isNews: Bool)
  }

  /// The effect of one event beyond its contents.
  struct Heard: Equatable {
    /// Earlier knowledge may be outdated: it must not become trusted again.
    var beginsAnew = false
    /// Everything sent until now has arrived, so what is known may be accepted for the length
    /// of the lease.
    var isProof = true
    /// Changes are heard again after they were not.
    var isBack = false
  }

  /// Whether the sender was heard from lately.
  private(set) var lease: Lease
  /// When an event came last; opening a stream proves nothing.
  private(set) var lastHeard: MonotonicInstant?
  /// How many streams ended, by reason.
  private(set) var endings: [Ending: Int] = [:]

  private let backOff: BackOff
  private var opened = MonotonicInstant(nanoseconds: 0)
  /// Something came on the present stream.
  private var hasHeard = false
  /// Streams in a row that ended before anything came on them.
  private var failureCount = 0
  private var isReportedLost = false

  init(lease: Duration, backOff: BackOff) {
    self.lease = Lease(lease)
    self.backOff = backOff
  }

  /// A stream is being opened; unless it is resumed after the last event, nothing that was known
  /// before it counts.
  mutating func open(at now: MonotonicInstant, isResumed: Bool) {
    if !isResumed { lease.cancel() }
    opened = now
    hasHeard = false
  }

  /// An event came.
  ///
  /// A stream continues after the last event, so what is known stays true if it was accepted until now.
  /// After a longer gap the first sign of life comes before the changes that were missed, and must not
  /// revive what they would have ended. Within the lease it does not extend it either: a stream that
  /// is cut again and again after its first event would otherwise keep outdated answers alive.
  mutating func heard(at now: MonotonicInstant) -> Heard {
    let beginsAnew = !hasHeard && !lease.isLive(at: now)
    let heard = Heard(
      beginsAnew: beginsAnew,
      isProof: hasHeard || beginsAnew,
      isBack: isReportedLost
    )
    hasHeard = true
    isReportedLost = false
    failureCount = 0
    lastHeard = now
    if heard.isProof { lease.extend(at: now) }
    return heard
  }

  /// When the stream must be given up unless something comes before.
  var silenceEnd: MonotonicInstant {
    let last = hasHeard ? lastHeard ?? opened : opened
    return last.advanced(by: lease.duration)
  }

  /// The stream is over.
  ///
  /// Expired credentials are renewed without a pause, but only if something was heard: otherwise
  /// credentials that are refused from the start would make a loop.
  mutating func ended(_ ending: Ending, random: UInt64) -> Next {
    endings[ending, default: 0] += 1
    if ending == .credentialsExpired, hasHeard { return .reopen }
    failureCount += 1
    defer { isReportedLost = true }
    let pause = backOff.pause(attempt: failureCount, random: random)
    return .pause(pause, isNews: !isReportedLost)
  }
}
