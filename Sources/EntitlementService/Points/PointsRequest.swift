/// A redemption that waits for approval, or waited for it.
///
/// Its points are in entries of the ledger, those of the transaction that holds them.
struct PointsRequest: Hashable, Sendable {
  /// The state of a request; the raw value is what the store keeps.
  ///
  /// One that waits can become each of the others, and none of those anything else.
  enum State: String, Sendable, CaseIterable {
    case pending
    case approved
    case declined
    case cancelled
    case expired
  }

  /// Identifier, `prq_…`.
  let id: String
  /// The holder of the points.
  let holder: String
  /// The purpose of the reward time.
  let reward: String
  /// The state at the last change; see `state(at:)`.
  var state: State
  /// The transaction that holds its points.
  let holdID: String
  /// The user who asked.
  let requestedBy: String
  /// Milliseconds since 1970.
  let requestedAt: Int64
  /// When it expires unless it is decided before.
  let expiresAt: Int64
  /// The user who decided it; empty while it waits, and when it expired.
  var decidedBy = ""
  /// When it was decided.
  var decidedAt: Int64?
  /// The transaction that redeemed its points; empty unless it was approved.
  var transactionID = ""

  /// How long a request waits, in milliseconds: 24 hours.
  static let lifetime: Int64 = 86_400_000
  /// Requests of one holder that wait, at most.
  static let pendingCountMax = 10

  /// The state at `now`: one that nobody decided in time has expired, whether or not the store says so yet.
  func state(at now: Int64) -> State {
    state == .pending && expiresAt <= now ? .expired : state
  }
}
