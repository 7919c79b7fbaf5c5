internal import RPCKit
internal import ServiceKit

enum MailError {
  /// A token that is unknown, expired, used, of another mail or another account, or for an address that
  /// the account no longer has: one answer.
  static let tokenInvalid = ErrorCatalog.auth.invalidRequest(
    "MAIL_TOKEN_INVALID",
    "token: is invalid or expired; request a new mail"
  )

  /// The same whether or not the address has an account.
  static func tooMany(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_MAILS",
      "too many e-mails requested; check your inbox, or retry after the "
        + "given delay",
      retryAfter: retryAfter
    )
  }

  /// A notice of a newer service.
  static let noticeUnknown = ErrorCatalog.auth.invalid(
    "kind",
    "NOTICE_UNKNOWN",
    "is not a notice that this version knows"
  )

  /// Mails cannot be sent as fast as they come.
  static let queueFull = ErrorCatalog.auth.limited(
    "MAIL_QUEUE_FULL",
    "too many mails are waiting to be sent; retry after the given delay",
    retryAfter: .seconds(60)
  )
}
