/// The state of the session, as the state machine has it.
///
/// `unknown` → `signedOut` (the store has none) or `held`; `held` → `held` (refreshed) or `signedOut`;
/// `signedOut` → `held` (signed in). Each sign-in and sign-out begins another epoch: an answer to a call of an older
/// one is dropped.
enum SessionState: Equatable, Sendable {
  /// The store has not been read, or could not be.
  case unknown
  /// Nobody is signed in.
  case signedOut(EndReason)
  /// There are tokens.
  case held(HeldSession)

  var isUnknown: Bool { self == .unknown }
}

/// Tokens in use, with the instants at which they are refreshed and end.
struct HeldSession: Equatable, Sendable {
  var record: SessionRecord
  /// By the uptime clock, which nobody sets.
  var endsAt: Duration
  var refreshAt: Duration
  /// Another one after each refresh: a call that was refused with older tokens is repeated without a refresh.
  var serial: Int

  init(record: SessionRecord, remaining: Double, uptime: Duration, serial: Int) {
    self.record = record
    self.serial = serial
    endsAt = uptime + .seconds(remaining)
    let margin = min(max(60, record.lifetime / 10), record.lifetime / 2)
    refreshAt = endsAt - .seconds(margin)
  }
}

/// The token of a call, and of which session it is.
struct Bearer: Equatable, Sendable {
  var token: String
  var serial: Int
  var epoch: Int
  var userID: String
}

/// The pauses between refreshes that fail: 1, 2, 4 … 60 s, each ± 20 %.
struct Backoff: Equatable, Sendable {
  private var failures = 0
  private(set) var until: Duration = .zero

  mutating func fail(at uptime: Duration, atLeast: Double?, random: Double) {
    let pause = min(60, Double(1 << min(failures, 6))) * (0.8 + 0.4 * random)
    failures += 1
    until = uptime + .seconds(max(pause, min(atLeast ?? 0, 300)))
  }

  mutating func clear() { self = Backoff() }
}
