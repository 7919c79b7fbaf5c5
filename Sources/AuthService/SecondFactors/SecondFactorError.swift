internal import RPCKit
internal import ServiceKit

enum SecondFactorError {
  /// A code of an app, or a recovery code, that is wrong or was used.
  static let codeInvalid = ErrorCatalog.auth.invalidRequest(
    "CODE_INVALID",
    "the code is wrong or was used already; wait for the next one, or use a recovery code"
  )

  static let oneFactorNeeded = ErrorCatalog.auth.invalidRequest(
    "ONE_FACTOR_NEEDED",
    "code and recovery_code: set one of the two"
  )

  static func tooManyCodes(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_CODES",
      "too many wrong codes; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  static let totpNotEnrolled = ErrorCatalog.auth.precondition(
    "TOTP_NOT_ENROLLED",
    "the account has no authenticator app, or it was not confirmed in time; enroll one first"
  )

  /// For an operator who wants to remove it.
  static let totpMissing = ErrorCatalog.auth.precondition(
    "TOTP_NOT_ENROLLED",
    "the account has no authenticator app that could be removed"
  )

  /// For a caller who confirms twice: mostly a second tap, whose first one has the answer.
  static let totpConfirmed = ErrorCatalog.auth.exists(
    "TOTP_EXISTS",
    "the authenticator app is confirmed already; the first answer "
      + "has the recovery codes, and RegenerateRecoveryCodes makes new ones"
  )

  static let totpExists = ErrorCatalog.auth.exists(
    "TOTP_EXISTS",
    "the account has an authenticator app already; remove it first"
  )
}
