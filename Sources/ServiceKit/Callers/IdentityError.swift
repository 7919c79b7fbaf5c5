package import RPCKit

/// Errors returned to callers that are not let in.
package enum IdentityError {
  private static let errors = ErrorCatalog(domain: "gatehouse.auth")

  /// No credentials, or none that are good: one answer, whatever is wrong with them.
  package static let unauthenticated = errors.unauthenticated(
    "CREDENTIALS_INVALID",
    "the call has no valid credentials; sign in again"
  )

  /// Whether the credentials are good cannot be found out now.
  ///
  /// Not UNAUTHENTICATED, which makes applications discard their sessions.
  package static let keysUnavailable = errors.unavailable(
    "KEYS_UNAVAILABLE",
    "cannot verify access tokens, because AuthService's keys cannot be fetched; retry in a "
      + "moment"
  )

  /// The error of a stream whose caller would no longer be let in.
  package static let proofEnded = errors.unauthenticated(
    "PROOF_ENDED",
    "the credentials of this stream expired or were revoked; open it again with new ones"
  )

  /// Known, but not one of those who may call this method.
  package static let callerNotAllowed = errors.denied(
    "CALLER_NOT_ALLOWED",
    "callers of this kind may not call this method"
  )

  /// A user who is no operator, where only operators may call.
  package static let operatorRequired = errors.denied(
    "CALLER_NOT_ALLOWED",
    "only operators may call this method; it needs the role super_admin, which auth-service "
      + "grant-super-admin EMAIL grants"
  )

  /// A user who is neither an operator nor a support person, where only those may call.
  package static let supportRequired = errors.denied(
    "CALLER_NOT_ALLOWED",
    "only support people and operators may call this method; it needs the role support, which auth-service "
      + "grant-support EMAIL grants"
  )

  /// A support person who has signed in without a second factor.
  package static let secondFactorRequired = stepUpRequired("mfa", ageMax: nil)

  /// A user, but without the proof that this method asks for.
  ///
  /// The metadata has what RFC 9470 (section 3) puts into a challenge: which classes of proof are enough,
  /// the weakest first, and how old it may be.
  package static func stepUpRequired(_ stepUp: String, ageMax: Int64?) -> RPCError {
    errors.unauthenticated(
      "STEP_UP_REQUIRED",
      ageMax == nil
        ? "this method needs a sign-in with a second factor; sign in again with one, or set one up first"
        : "this method needs a recent step-up; prove who you are again",
      [
        "step_up": stepUp, "acr_values": Assurance.satisfying(stepUp).joined(separator: " "),
        "max_age_seconds": ageMax.map { "\($0 / 1000)" } ?? "",
      ].filter { !$0.value.isEmpty }
    )
  }

  /// The state of a session cannot be found out now, and this method must know it.
  package static let cannotTell = errors.unavailable(
    "REVOCATIONS_UNKNOWN",
    "cannot check whether the session was revoked; retry in a moment"
  )
}

extension RPCError {
  /// Whether a stream ended only because its credentials did: the next one continues where it was.
  package var isProofEnded: Bool { code == .unauthenticated && reason == "PROOF_ENDED" }
}
