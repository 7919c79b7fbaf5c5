internal import RPCKit
internal import ServiceKit

extension AuthError {
  /// A link from a mail, used by somebody of whom only that is known.
  static let accountProofRequired = RPCError(
    .unauthenticated,
    reason: "ACCOUNT_PROOF_REQUIRED",
    domain: domain,
    message:
      "reading the mail is not enough: give the account's password or a passkey, or call in a session "
      + "of the account"
  )

  /// Somebody says that an account is not theirs whose address was proven.
  static let addressProven = RPCError(
    .failedPrecondition,
    reason: "ADDRESS_PROVEN",
    domain: domain,
    message: "the account has proven the address; if that was not you, reset its password"
  )

  /// The account lost its address to the person who reads its mail.
  static let addressMissing = RPCError(
    .failedPrecondition,
    reason: "ADDRESS_MISSING",
    domain: domain,
    message: "the account has no e-mail address; give it one with ChangeEmail first"
  )
}
