internal import RPCKit
internal import ServiceKit

/// Errors about authenticator apps.
extension AuthError {
  static let totpNotEnrolled = RPCError(
    .failedPrecondition,
    reason: "TOTP_NOT_ENROLLED",
    domain: domain,
    message:
      "the account has no authenticator app, or it was not confirmed in time; enroll one first"
  )

  /// Told to an operator who wants to remove it.
  static let totpMissing = RPCError(
    .failedPrecondition,
    reason: "TOTP_NOT_ENROLLED",
    domain: domain,
    message: "the account has no authenticator app that could be removed"
  )

  /// For a caller who confirms twice: mostly a second tap, whose first one has the answer.
  static let totpConfirmed = RPCError(
    .alreadyExists,
    reason: "TOTP_EXISTS",
    domain: domain,
    message: "the authenticator app is added already, and nothing is left to do; the first answer "
      + "has the recovery codes, and RegenerateRecoveryCodes makes new ones"
  )

  static let totpExists = RPCError(
    .alreadyExists,
    reason: "TOTP_EXISTS",
    domain: domain,
    message: "the account has an authenticator app already; remove it first"
  )
}
