internal import RPCKit
internal import ServiceKit

enum ProviderError {
  /// A token that is wrong, old, of or for another user or application, or used: one answer.
  static let tokenInvalid = ErrorCatalog.auth.unauthenticated(
    "IDENTITY_TOKEN_INVALID",
    "the identity token is not accepted; start the sign-in with the provider again"
  )

  static let notFound = ErrorCatalog.auth.notFound(
    "PROVIDER_NOT_FOUND",
    "provider not found; use one that this installation is set up for"
  )

  /// The keys of a provider cannot be fetched, and the known ones are not enough.
  static let keysUnavailable = ErrorCatalog.auth.unavailable(
    "PROVIDER_KEYS_UNAVAILABLE",
    "cannot verify the identity token, because the provider's keys cannot be fetched; retry "
      + "in a minute",
    retryAfter: .seconds(60)
  )

  static let notificationInvalid = ErrorCatalog.auth.invalidRequest(
    "NOTIFICATION_INVALID",
    "payload: is not a notification that Apple signed for this installation"
  )
}
