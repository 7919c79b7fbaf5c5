internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// What callers are told who do not get what they asked for.
///
/// One place for all of TenancyService.
enum TenancyError {
  static let domain = "gatehouse.tenancy"

  /// Unknown, deleted, of another type, or nothing of this caller's: one answer, byte for byte.
  static let notFound = error(
    .notFound,
    reason: "NOT_FOUND",
    message: "object not found"
  )

  /// The caller may do nothing: one answer whatever was asked for, byte for byte, because anything about
  /// the object in it would tell objects that are there from others.
  static let suspended = error(
    .permissionDenied,
    reason: ReasonCode.subjectSuspended.rawValue,
    message: "your account is suspended; ask an operator to resume it"
  )

  static let revisionMismatch = error(
    .aborted,
    reason: "REVISION_MISMATCH",
    message: "the object was changed meanwhile; read it again and repeat the change"
  )

  /// A gateway asks about a path that two programs could understand differently.
  static func pathRefused(_ problem: String) -> RPCError {
    error(
      .invalidArgument,
      reason: "PATH_REFUSED",
      message: "path \(problem); send it in its plain form"
    )
  }

  /// A gateway asks about a request that no route is for.
  static let routeUnknown = error(
    .permissionDenied,
    reason: "ROUTE_UNKNOWN",
    message: "no route is open for this path; see gateway_routes of TenancyService"
  )

  /// A gateway's route says something that is not to be understood: not a reason to let anybody pass.
  static let routeMisconfigured = error(
    .unavailable,
    reason: "ROUTE_MISCONFIGURED",
    message: "the gateway's route for this path is not to be understood; correct its configuration",
    retryAfter: .seconds(30)
  )

  static let notSelf = error(
    .permissionDenied,
    reason: "NOT_SELF",
    message: "users can ask only about themselves"
  )

  static let asOfInFuture = invalidField(
    "as_of",
    "AS_OF_IN_FUTURE",
    "must not lie in the future; leave it out to ask about now"
  )

  static func asOfInBatch(_ index: Int) -> RPCError {
    invalidField(
      "checks[\(index)].as_of",
      "AS_OF_IN_BATCH",
      "must be absent in a batch; ask about the past with Check"
    )
  }

  /// Of the instant asked for nothing is kept, or not any more.
  static func pastUnknown(since instant: Int64?) -> RPCError {
    error(
      .failedPrecondition,
      reason: "PAST_UNKNOWN",
      message: "as_of lies before what is kept of the past; ask about a later instant",
      metadata: instant.map { ["known_since_milliseconds": "\($0)"] } ?? [:]
    )
  }

  static let pastPolicyUnreadable = precondition(
    "PAST_POLICY_UNREADABLE",
    "the policy of that time cannot be read by this version; ask about a later instant"
  )

  static let notReached = error(
    .unavailable,
    reason: "REVISION_NOT_REACHED",
    message: "this server has not reached that revision yet; retry after the given delay",
    retryAfter: .milliseconds(200)
  )

  static let usersUnavailable = error(
    .unavailable,
    reason: "AUTH_UNAVAILABLE",
    message: "cannot look up users right now; retry after the given delay",
    retryAfter: .seconds(1)
  )

  /// Nobody can tell what was paid for: neither an allowance nor a denial that others could keep.
  static func featuresUnavailable(_ holders: Set<FeatureHolder>) -> RPCError {
    var unavailable = error(
      .unavailable,
      reason: "ENTITLEMENTS_UNAVAILABLE",
      message: "cannot look up features right now; retry after the given delay",
      retryAfter: .seconds(1)
    )
    unavailable.cause = FeaturesMissing(holders: holders)
    return unavailable
  }

  static let selfServiceDisabled = error(
    .permissionDenied,
    reason: "SELF_SERVICE_DISABLED",
    message: "only operators can create this type of object"
  )

  static let windowExceedsOwn = precondition(
    "WINDOW_EXCEEDS_OWN",
    "the window must lie within that of your own role, hours included"
  )

  /// Nobody sets what they cannot see.
  static func attributeNotVisible(_ path: String) -> RPCError {
    error(
      .permissionDenied,
      reason: "ATTRIBUTE_NOT_VISIBLE",
      message: "\(path) needs a higher access level than yours"
    )
  }

  static func parentNotAllowed(_ type: String, under parent: String) -> RPCError {
    precondition("PARENT_NOT_ALLOWED", "a \(type) cannot be directly under a \(parent)")
  }

  static let noOperators = precondition(
    "ROLE_UNKNOWN",
    "none of the loaded policies has the role \(BuiltIn.superAdmin)"
  )

  static let roleOfTenant = precondition(
    "ROLE_OF_TENANT",
    "somebody has a role of this tenant's own on it, or it has such roles; remove these first"
  )

  static func roleExceedsOwn(_ action: String) -> RPCError {
    error(
      .permissionDenied,
      reason: "ROLE_EXCEEDS_OWN",
      message:
        "the role includes \(action), which your own roles do not allow on all of this tenant",
      metadata: ["action": action]
    )
  }

  static let tooManyRoles = precondition(
    "TOO_MANY_ROLES",
    "a tenant has at most \(RoleDefinitionRecord.countMax) roles of its own; delete one first"
  )

  static let belowItself = precondition(
    "WOULD_BE_CYCLE",
    "parent_id is the entity itself or below it; name a parent elsewhere"
  )

  static let tooDeep = precondition(
    "TOO_DEEP",
    "parent_id is too deep: entities are at most \(Forest.depthMax) levels below the system"
  )

  static func cascadeTooLarge(_ count: Int) -> RPCError {
    precondition(
      "CASCADE_TOO_LARGE",
      "this and what is below it are \(count) entities, more than the \(ChangeSet.cascadeCountMax)"
        + " that one call changes; begin with parts of it"
    )
  }

  static let notRoot = precondition(
    "NOT_ROOT",
    "root_id is not the root of a tree; name the entity above all others"
  )

  static let reportsUnsigned = precondition(
    "REPORTS_UNSIGNED",
    "nothing can sign reports; set service_keys.private_key of TenancyService"
  )

  static let reportInterrupted = error(
    .aborted,
    reason: "REPORT_INTERRUPTED",
    message: "a part of the interval was deleted as too old meanwhile; ask for a later one"
  )

  static let notSameProperty = precondition(
    "NOT_SAME_PROPERTY",
    "the device must be in the same property"
  )

  static func windowDiffers(role: String) -> RPCError {
    error(
      .alreadyExists,
      reason: "WINDOW_DIFFERS",
      message: "the user already has the role \(role) with another window; "
        + "set replace_window, or remove the role first"
    )
  }

  static func lastOne(role: String) -> RPCError {
    precondition(
      "LAST_\(role.uppercased())",
      "somebody must be \(role) here, and nobody else can act as that for good: without an end, not "
        + "suspended, with an account that stays"
    )
  }

  static func hasDependents(_ counts: [(type: String, count: Int)]) -> RPCError {
    error(
      .failedPrecondition,
      reason: "HAS_DEPENDENTS",
      message: "the object is not empty; set cascade to delete what is in it as well",
      metadata: Dictionary(counts.map { ($0.type, "\($0.count)") }) { first, _ in first }
    )
  }

  /// A role of a tenant's own that users have, or had for a time that is over.
  static func roleHeld(_ name: String, count: Int) -> RPCError {
    error(
      .failedPrecondition,
      reason: "HAS_DEPENDENTS",
      message: "the role \(name) is in use (associations: \(count)); "
        + "revoke it from its users first",
      metadata: ["association": "\(count)"]
    )
  }

  static func roleUnknown(_ field: String) -> RPCError {
    invalidField(field, "ROLE_UNKNOWN", "is not a role of this installation's policies")
  }

  static func typeUnknown(_ field: String) -> RPCError {
    invalidField(field, "TYPE_UNKNOWN", "is not a type of this installation's policies")
  }

  /// A field of the request that is wrong in itself.
  static func invalidField(_ field: String, _ reason: String, _ problem: String) -> RPCError {
    var error = invalid(reason, "\(field) \(problem)")
    error.details.append(.badRequest([FieldViolation(field: field, description: problem)]))
    return error
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
    return error(
      code,
      reason: reason.rawValue,
      message: lacking.map { needs($0.feature, $0.unlocking, action: action) }
        ?? explanation(of: reason, action: action, sufficientRoles: sufficientRoles),
      metadata: metadata
    )
  }

  /// Why nobody may do what the policy names no action for; `deed` is a type and what is done to it.
  static func nothingNamed(for deed: String) -> String {
    let parts = deed.split(separator: ".", maxSplits: 1)
    guard parts.last == EntityDeed.defineRoles.rawValue[...], let type = parts.first else {
      return "\(deed) is not allowed here: the policy names no action for it"
    }
    return "a \(type) has no roles of its own: the policy lets nobody define them"
  }

  private static func needs(
    _ feature: String,
    _ unlocking: [String: String],
    action: String
  ) -> String {
    let ways = [("tier", "tier"), ("addons", "add-on"), ("products", "product")].compactMap {
      part,
      name in
      unlocking["unlocked_by_\(part)"].map { "the \(name) \($0)" }
    }
    let help = ways.isEmpty ? "ask who pays for it" : "buy \(ways.joined(separator: " or "))"
    return "\(action) needs the feature \(feature), which has not been bought; \(help)"
  }

  /// What a reason means to the person who asked, and what would help.
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
    case .featureNotAvailable: "\(action) needs a feature that has not been bought"
    case .stepUpRequired: "\(action) needs a recent step-up; prove who you are again"
    case .deviceOffline: "\(action) is not possible while the device is offline"
    case .remoteOperationDisabled: "\(action) is not possible while remote operation is disabled"
    case .operationNotSupported: "\(action) is not for devices of this kind"
    case .entityUnknown: "object not found"
    case .allowed, .subjectSuspended: "\(action) is not allowed"
    }
  }

  private static func invalid(_ reason: String, _ message: String) -> RPCError {
    error(.invalidArgument, reason: reason, message: message)
  }

  private static func precondition(_ reason: String, _ message: String) -> RPCError {
    error(.failedPrecondition, reason: reason, message: message)
  }

  private static func error(
    _ code: StatusCode,
    reason: String,
    message: String,
    metadata: [String: String] = [:],
    retryAfter: Duration? = nil
  ) -> RPCError {
    RPCError(
      code,
      reason: reason,
      domain: domain,
      message: message,
      metadata: metadata,
      retryAfter: retryAfter
    )
  }
}
