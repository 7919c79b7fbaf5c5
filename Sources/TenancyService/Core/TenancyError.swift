internal import AccessEngine
internal import RPCKit
internal import ServiceKit

extension ErrorCatalog {
  /// The errors of TenancyService.
  static let tenancy = ErrorCatalog(domain: "gatehouse.tenancy")
}

extension RPCError {
  /// The error with what the refusal tally and the log get to know; its own reason if no other one is given.
  func denying(_ action: String, on object: String, because reason: ReasonCode? = nil) -> RPCError {
    denying(action, on: object, because: reason?.rawValue ?? self.reason ?? "")
  }
}

/// Errors of every room.
enum TenancyError {
  /// Unknown, deleted, of another type, or nothing of this caller's: one answer, byte for byte.
  static let notFound = ErrorCatalog.tenancy.notFound("NOT_FOUND", "object not found")

  /// The caller may do nothing: one answer whatever was asked for, byte for byte, because anything about
  /// the object in it would tell objects that are there from others.
  static let suspended = ErrorCatalog.tenancy.denied(
    ReasonCode.subjectSuspended.rawValue,
    "your account is suspended; ask an operator to resume it"
  )

  static let notSelf = ErrorCatalog.tenancy.denied(
    "NOT_SELF",
    "users can ask only about themselves"
  )

  static let notReached = ErrorCatalog.tenancy.unavailable(
    "REVISION_NOT_REACHED",
    "this server has not reached that revision yet; retry after the given delay",
    retryAfter: .milliseconds(200)
  )

  static func unknownUser(_ field: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(field, "USER_UNKNOWN", "is not a known user")
  }

  static func usersUnavailable(_ cause: any Error) -> RPCError {
    ErrorCatalog.tenancy.unavailable(
      "AUTH_UNAVAILABLE",
      "cannot look up users right now; retry after the given delay",
      cause: cause
    )
  }

  /// Features are unavailable: neither an allowance nor a denial that others could keep.
  static func featuresUnavailable(_ holders: Set<FeatureHolder>) -> RPCError {
    ErrorCatalog.tenancy.unavailable(
      "ENTITLEMENTS_UNAVAILABLE",
      "cannot look up features right now; retry after the given delay",
      cause: FeaturesMissing(holders: holders)
    )
  }

  /// Trees that a decision rests on are not in memory: neither an allowance nor a denial that others could keep.
  static func treesMissing(_ missing: Set<Missing>) -> RPCError {
    ErrorCatalog.tenancy.unavailable(
      "ENTITIES_UNAVAILABLE",
      "cannot look up entities and roles right now; retry after the given delay",
      cause: TreesMissing(missing: missing)
    )
  }

  /// Points are unavailable.
  static func pointsUnavailable(_ cause: RPCError) -> RPCError {
    ErrorCatalog.tenancy.unavailable(
      "ENTITLEMENTS_UNAVAILABLE",
      "cannot look up points right now; retry after the given delay",
      cause: cause
    )
  }

  /// A known object, and the reason against it; for want of a feature, which one and what would unlock it,
  /// where that is known.
  ///
  /// Several step-ups are needed together; `acr_values` says of the first which classes of proof satisfy it
  /// (RFC 9470, section 3).
  static func denied(
    _ reason: ReasonCode,
    action: String,
    sufficientRoles: [String],
    lacking: (feature: String, unlocking: [String: String])? = nil,
    stepUps: [String] = []
  ) -> RPCError {
    guard reason != .subjectSuspended else { return suspended }
    let code: StatusCode =
      switch reason {
      case .deviceOffline, .remoteOperationDisabled, .operationNotSupported, .featureNotAvailable:
        .failedPrecondition
      case .stepUpRequired: .unauthenticated
      case .entityUnknown: .notFound
      default: .permissionDenied
      }
    var metadata = ["action": action, "sufficient_roles": sufficientRoles.joined(separator: ",")]
    if let lacking {
      metadata["feature"] = lacking.feature
      metadata.merge(lacking.unlocking) { $1 }
    }
    if let stepUp = stepUps.first {
      metadata["step_up"] = stepUps.joined(separator: ",")
      metadata["acr_values"] = Assurance.satisfying(stepUp).joined(separator: " ")
    }
    return ErrorCatalog.tenancy.error(
      code,
      reason.rawValue,
      lacking.map { needs($0.feature, $0.unlocking, action: action) }
        ?? explanation(of: reason, action: action, sufficientRoles: sufficientRoles),
      metadata
    )
  }

  private static func needs(
    _ feature: String,
    _ unlocking: [String: String],
    action: String
  ) -> String {
    "\(action) needs the feature \(feature), which is not included in the plan; \(remedy(unlocking))"
  }

  /// The advice to buy what unlocks something.
  static func remedy(_ unlocking: [String: String]) -> String {
    let ways = [("tier", "tier"), ("addons", "add-on"), ("products", "product")].compactMap {
      part,
      name in
      unlocking["unlocked_by_\(part)"].map { "the \(name) \($0)" }
    }
    return ways.isEmpty ? "ask who pays for it" : "buy \(ways.joined(separator: " or "))"
  }

  /// The explanation of a reason for the person who asked, and what would help.
  private static func explanation(
    of reason: ReasonCode,
    action: String,
    sufficientRoles: [String]
  ) -> String {
    switch reason {
    case .roleLacksAction, .outOfScope, .noAssociation:
      sufficientRoles.isEmpty
        ? "\(action) is not allowed here: no role of the policy includes it"
        : "\(action) is not allowed by your roles here; it needs "
          + sufficientRoles.joined(separator: " or ")
    case .notYetValid: "\(action) is not allowed yet; your role starts later"
    case .expired: "\(action) is no longer allowed; your role has expired"
    case .deniedByRule: "\(action) is forbidden here by a rule of the policy"
    case .featureNotAvailable: "\(action) needs a feature that is not included in the plan"
    case .stepUpRequired: "\(action) needs a recent step-up; prove who you are again"
    case .deviceOffline: "\(action) is not possible while the device is offline"
    case .remoteOperationDisabled: "\(action) is not possible while remote operation is disabled"
    case .operationNotSupported: "\(action) is not for devices of this kind"
    case .entityUnknown: "object not found"
    case .allowed, .subjectSuspended: "\(action) is not allowed"
    }
  }
}
