internal import RPCKit
internal import ServiceKit

extension ErrorCatalog {
  /// The errors of this service.
  static let entitlement = ErrorCatalog(domain: "gatehouse.entitlement")
}

/// Errors that several features return.
enum EntitlementError {
  private static let errors = ErrorCatalog.entitlement

  /// An object that does not exist, or that the caller may not know of: the same in both cases.
  static let notFound = errors.notFound("NOT_FOUND", "object not found")

  /// A request that leaves out the subject and comes from no user.
  static let subjectRequired = errors.invalid(
    "subject",
    "SUBJECT_REQUIRED",
    "is required unless the caller is a user"
  )

  /// The caller proved no user.
  static let userRequired = errors.unauthenticated(
    "CREDENTIALS_INVALID",
    "the call has no valid user credentials; sign in first"
  )

  /// The caller's right changes faster than it can be asked for.
  static let rightUnsettled = errors.unavailable(
    "RIGHT_UNSETTLED",
    "the caller's roles are being changed; retry after the given delay"
  )

  /// A known object, and TenancyService's reason against what was asked.
  static func denied(_ action: String, _ decision: PermissionDecision) -> RPCError {
    let roles = decision.sufficientRoles
    let cause =
      roles.isEmpty
      ? "here: no role of the policy includes it"
      : "by your roles here; it needs \(roles.joined(separator: " or "))"
    let code: StatusCode =
      switch decision.reason {
      case "STEP_UP_REQUIRED": .unauthenticated
      case "FEATURE_NOT_AVAILABLE": .failedPrecondition
      default: .permissionDenied
      }
    return errors.error(
      code,
      decision.reason,
      decision.reason == "STEP_UP_REQUIRED"
        ? "\(action) needs a recent step-up; prove who you are again"
        : "\(action) is not allowed \(cause)",
      ["action": action, "sufficient_roles": roles.joined(separator: ",")]
    )
  }
}
