internal import RPCKit
internal import ServiceKit

/// Errors of calls that lost a race: nothing was done, and the caller is not to blame.
extension AuthError {
  /// Others kept changing whose the identity is; the token works again.
  static let signInOvertaken = RPCError(
    .aborted,
    reason: "SIGN_IN_OVERTAKEN",
    domain: domain,
    message: "the identity was linked or unlinked by another call at the same time; retry",
    retryAfter: .milliseconds(100)
  )

  /// Another call changed a password, a PIN or the counter of a passkey between the check and the write.
  static let overtaken = RPCError(
    .aborted,
    reason: "CALL_OVERTAKEN",
    domain: domain,
    message: "another call changed the password, PIN or passkey at the same time; retry",
    retryAfter: .milliseconds(100)
  )

  /// Another call, or an operator, changed at the same time what TenancyService knows of the account.
  static let accountOvertaken = RPCError(
    .aborted,
    reason: "CALL_OVERTAKEN",
    domain: domain,
    message: "another call changed the state of the account at the same time; retry",
    retryAfter: .milliseconds(100)
  )
}
