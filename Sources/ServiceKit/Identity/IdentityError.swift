package import RPCKit

/// Errors returned to callers that are not let in.
package enum IdentityError {
  private static let domain = "gatehouse.auth"

  /// No credentials, or none that are good: one answer, whatever is wrong with them.
  package static let unauthenticated = RPCError(
    .unauthenticated,
    reason: "CREDENTIALS_INVALID",
    domain: domain,
    message: "the call has no valid credentials; sign in again"
  )

  /// Whether the credentials are good cannot be found out now.
  ///
  /// Not UNAUTHENTICATED, which makes applications discard their sessions.
  package static let keysUnavailable = RPCError(
    .unavailable,
    reason: "KEYS_UNAVAILABLE",
    domain: domain,
    message:
      "cannot verify access tokens, because AuthService's keys cannot be fetched; retry in a "
      + "moment",
    retryAfter: .seconds(1)
  )

  /// The error of a stream whose caller would no longer be let in.
  package static let proofEnded = RPCError(
    .unauthenticated,
    reason: "PROOF_ENDED",
    domain: domain,
    message: "the credentials of this stream expired or were revoked; open it again with new ones"
  )

  /// Known, but not one of those who may call this method.
  package static let callerNotAllowed = RPCError(
    .permissionDenied,
    reason: "CALLER_NOT_ALLOWED",
    domain: domain,
    message: "callers of this kind may not call this method"
  )

  /// A user who is no operator, where only operators may call.
  package static let operatorRequired = RPCError(
    .permissionDenied,
    reason: "CALLER_NOT_ALLOWED",
    domain: domain,
    message:
      "only operators may call this method; it needs the role super_admin, which auth-service "
      + "grant-super-admin EMAIL grants"
  )

  /// A user, but without the proof that this method asks for.
  ///
  /// The metadata has what RFC 9470 (section 3) puts into a challenge: which classes of proof are enough,
  /// the weakest first, and how old it may be.
  package static func stepUpRequired(_ stepUp: String, ageMax: Int64) -> RPCError {
    RPCError(
      .unauthenticated,
      reason: "STEP_UP_REQUIRED",
      domain: domain,
      message: "this method needs a recent step-up; prove who you are again",
      metadata: [
        "step_up": stepUp, "acr_values": Assurance.satisfying(stepUp).joined(separator: " "),
        "max_age_seconds": "\(ageMax / 1000)",
      ].filter { !$0.value.isEmpty }
    )
  }

  /// The state of a session cannot be found out now, and this method must know it.
  package static let cannotTell = RPCError(
    .unavailable,
    reason: "REVOCATIONS_UNKNOWN",
    domain: domain,
    message: "cannot check whether the session was revoked; retry in a moment",
    retryAfter: .seconds(1)
  )
}

extension RPCError {
  /// Whether a stream ended only because its credentials did: the next one continues where it was.
  package var isProofEnded: Bool { code == .unauthenticated && reason == "PROOF_ENDED" }
}
