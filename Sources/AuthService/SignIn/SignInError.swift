internal import RPCKit
internal import ServiceKit

enum SignInError {
  /// A refresh token that gets nothing, for any reason.
  static let refreshTokenInvalid = ErrorCatalog.auth.unauthenticated(
    "REFRESH_TOKEN_INVALID",
    "the refresh token is not valid; sign in again"
  )

  /// A refresh token whose answer was given again and again, and never used.
  static let repeatedTooOften = ErrorCatalog.auth.error(
    .resourceExhausted,
    "REFRESH_REPEATED_TOO_OFTEN",
    "this refresh was repeated 100 times; use the refresh token that it was answered with, or sign in again"
  )

  /// A repeated sign-in whose first answer has arrived and is in use.
  static let sessionInUse = ErrorCatalog.auth.exists(
    "SESSION_IN_USE",
    "the session that this idempotency key began is in use; sign in with another key"
  )

  /// Unknown, used, expired, tried too often, or from another network: one answer.
  static let secondFactorTokenInvalid = ErrorCatalog.auth.invalidRequest(
    "SECOND_FACTOR_TOKEN_INVALID",
    "second_factor_token: is invalid or expired; sign in again"
  )
}
