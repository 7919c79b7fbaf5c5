internal import RPCKit
internal import ServiceKit

/// Errors of account exports.
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
      message: "the export is incomplete; discard the parts received, and retry after the "
        + "given delay",
      metadata: ["missing": service],
      retryAfter: .seconds(5),
      cause: cause
    )
  }
}
