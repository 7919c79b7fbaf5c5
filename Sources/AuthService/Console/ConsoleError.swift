internal import RPCKit
internal import ServiceKit

enum ConsoleError {
  /// There is no console here.
  static let off = ErrorCatalog.auth.notFound(
    "CONSOLE_OFF",
    "there is no console here; the setting console turns it on"
  )

  /// A caller that is not the console's own page.
  static let only = ErrorCatalog.auth.error(
    .permissionDenied,
    "CONSOLE_ONLY",
    "only the console's own page may call this; use auth.v1.Authentication"
  )
}
