internal import RPCKit
internal import ServiceKit

enum MailError {
  /// A token that is unknown, expired, used, of another mail or another account, or for an address that
  /// the account no longer has: one answer.
  static let tokenInvalid = ErrorCatalog.auth.invalidRequest(
    "MAIL_TOKEN_INVALID",
    "token: does not work or no longer works; ask for a new mail"
  )

  /// The same whether or not the address has an account.
  static func tooMany(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_MAILS",
      "too many mails were asked for; look for those that were sent, or retry after the "
        + "given delay",
      retryAfter: retryAfter
    )
  }

  /// Mails cannot be sent as fast as they come.
  static let queueFull = ErrorCatalog.auth.limited(
    "MAIL_QUEUE_FULL",
    "too many mails are waiting to be sent; retry after the given delay",
    retryAfter: .seconds(60)
  )
}
