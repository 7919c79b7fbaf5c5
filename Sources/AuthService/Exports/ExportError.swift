internal import RPCKit
internal import ServiceKit

enum ExportError {
  static func tooSoon(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "EXPORT_TOO_SOON",
      "an account can be exported once a day; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// A service did not give all that it has on the user; only a whole document is of use.
  static func incomplete(_ service: String, cause: any Error) -> RPCError {
    ErrorCatalog.auth.unavailable(
      "EXPORT_INCOMPLETE",
      "the export is incomplete; discard the parts received, and retry after the "
        + "given delay",
      ["missing": service],
      retryAfter: .seconds(5),
      cause: cause
    )
  }
}
