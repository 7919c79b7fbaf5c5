internal import RPCKit
internal import ServiceKit

/// What callers are told about exports of their accounts.
extension AuthError {
  static func exportTooSoon(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "EXPORT_TOO_SOON",
      domain: domain,
      message: "an account can be exported once a day; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// A service did not tell all that it knows of the user; nothing but a whole document is of use.
  static func exportIncomplete(_ service: String, cause: any Error) -> RPCError {
    RPCError(
      .unavailable,
      reason: "EXPORT_INCOMPLETE",
      domain: domain,
      message: "the export has ended before it was whole; drop what arrived, and retry after the "
        + "given delay",
      metadata: ["missing": service],
      retryAfter: .seconds(5),
      cause: cause
    )
  }
}
