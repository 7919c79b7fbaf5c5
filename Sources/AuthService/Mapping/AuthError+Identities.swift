internal import RPCKit
internal import ServiceKit

/// Errors about identities at other providers.
extension AuthError {
  /// Others kept changing whose the identity is; the token works again.
  static let signInOvertaken = RPCError(
    .aborted,
    reason: "SIGN_IN_OVERTAKEN",
    domain: domain,
    message: "the identity was linked or unlinked by another call at the same time; retry",
    retryAfter: .milliseconds(100)
  )
}
