/// Something that operators change in an account which its user cannot reach: see docs/decisions/0189.
struct AccountChange: Hashable, Sendable {
  /// The kind of change; as it is stored, and as the contract numbers it.
  enum Kind: Int64, Sendable {
    /// The authenticator app and its recovery codes go.
    case removeTotp = 1
    /// The account gets another address.
    case email = 2
    /// The account is deleted, after the grace period that every deletion has.
    case delete = 3
  }

  /// The state; as it is stored, and as the contract numbers it.
  enum State: Int64, Sendable {
    case waiting = 1
    case done = 2
    /// An operator took it back.
    case cancelled = 3
    /// The person who reads the mail of the account's address stopped it.
    case refused = 4
    /// It could not be done when its time had come.
    case failed = 5
  }

  /// Identifier, `chg_…`.
  var id: String
  var userID: String
  var kind: Kind
  /// The address that the account gets; empty for other kinds.
  var newEmail = ""
  /// Why, for operators.
  var reason: String
  var state = State.waiting
  /// The operator who asked for it.
  var requestedBy: String
  /// When, in milliseconds since 1970.
  var requested: Int64
  /// When it is done without a second operator; nil for one that nobody could stop.
  var due: Int64?
  /// The second operator; nil without one.
  var approvedBy: String?
  /// When it was done or ended otherwise.
  var finished: Int64?

  /// How long the account's address can stop it, in milliseconds.
  static let delay = MailToken.Purpose.refuseChange.lifetime
  /// How long one is kept after its end, in milliseconds.
  static let keptAfterEnd: Int64 = 90 * 24 * 3_600_000
}
