internal import RPCKit
internal import ServiceKit

enum AccountError {
  /// A link from a mail proves no more than that its user reads the mail.
  static let proofRequired = ErrorCatalog.auth.unauthenticated(
    "ACCOUNT_PROOF_REQUIRED",
    "reading the mail is not enough: give the account's password or a passkey, or call in a session "
      + "of the account"
  )

  /// A caller disowns an address that its account has proven.
  static let addressProven = ErrorCatalog.auth.precondition(
    "ADDRESS_PROVEN",
    "the account has proven the address; if that was not you, reset its password"
  )

  /// The account lost its address to the person who reads its mail.
  static let addressMissing = ErrorCatalog.auth.precondition(
    "ADDRESS_MISSING",
    "the account has no e-mail address; give it one with ChangeEmail first"
  )

  /// The invited person would know the inviter by a proven address.
  static let inviterUnverified = ErrorCatalog.auth.precondition(
    "INVITER_UNVERIFIED",
    "inviter_id: has no verified e-mail address; verify one, then retry"
  )

  static let changeClosed = ErrorCatalog.auth.precondition(
    "ACCOUNT_CHANGE_CLOSED",
    "the change is not pending: it was applied, cancelled or stopped"
  )
}
