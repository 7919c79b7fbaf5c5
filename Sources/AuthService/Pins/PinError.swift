internal import RPCKit
internal import ServiceKit

enum PinError {
  /// A PIN that the policy does not take.
  static func refused(_ objection: PinPolicy.Objection, _ policy: PinPolicy) -> RPCError {
    switch objection {
    case .length:
      ErrorCatalog.auth.invalid("pin", "PIN_LENGTH", "must have \(policy.digitCount) digits")
    case .common:
      ErrorCatalog.auth.invalid(
        "pin",
        "PIN_COMMON",
        "must not be a run, a repetition, a year or another common PIN"
      )
    case .reused:
      ErrorCatalog.auth.invalid(
        "pin",
        "PIN_REUSED",
        "must not be the previous PIN, forwards or backwards"
      )
    }
  }

  static let notSet = ErrorCatalog.auth.precondition(
    "PIN_NOT_SET",
    "the account has no PIN; set one first"
  )

  /// For a caller who is signed in: not UNAUTHENTICATED, which makes applications discard sessions.
  static func invalid(attemptsLeft: Int) -> RPCError {
    ErrorCatalog.auth.invalidRequest(
      "PIN_INVALID",
      attemptsLeft == 0
        ? "the PIN is wrong, and is now disabled; sign in again"
        : "the PIN is wrong; try again (\(attemptsLeft) left)",
      ["attempts_left": "\(attemptsLeft)"]
    )
  }

  static let disabled = ErrorCatalog.auth.precondition(
    "PIN_DISABLED",
    "the PIN is disabled after too many wrong ones; sign in again to enable it"
  )

  static func tooManyAttempts(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_PIN_ATTEMPTS",
      "too many wrong PINs; retry after the given delay",
      retryAfter: retryAfter
    )
  }
}
