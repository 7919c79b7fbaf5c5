internal import RPCKit
internal import ServiceKit

/// What callers of this service are told when something cannot be done.
enum ServiceFault {
  /// Whose reasons these are.
  static let domain = ServiceDomain.of(EntitlementProgram.identity.name)

  /// An object that does not exist, or that the caller may not know of: the same in both cases.
  static let notFound = RPCError(
    .notFound,
    reason: "NOT_FOUND",
    domain: domain,
    message: "object not found"
  )

  /// A request that leaves out the subject and comes from no user.
  static let subjectRequired = invalidField(
    "subject",
    "SUBJECT_REQUIRED",
    "is required unless the caller is a user"
  )

  /// A flag that the catalogue has no feature for.
  static let flagNotFound = RPCError(
    .notFound,
    reason: "FLAG_NOT_FOUND",
    domain: domain,
    message: "the catalogue has no such flag"
  )

  /// A context without a subject, of a caller that is none.
  static let targetingKeyMissing = invalidField(
    "context.targeting_key",
    "TARGETING_KEY_MISSING",
    "is required unless the caller is the user"
  )

  /// A field of the request that is wrong in itself.
  static func invalidField(_ field: String, _ reason: String, _ problem: String) -> RPCError {
    var error = RPCError(
      .invalidArgument,
      reason: reason,
      domain: domain,
      message: "\(field) \(problem)"
    )
    error.details.append(.badRequest([FieldViolation(field: field, description: problem)]))
    return error
  }

  /// The caller's right changes faster than it can be asked for.
  static let rightUnsettled = RPCError(
    .unavailable,
    reason: "RIGHT_UNSETTLED",
    domain: domain,
    message: "the caller's roles are being changed; retry after the given delay",
    retryAfter: .seconds(1)
  )

  /// Whether the user whom a purchase names exists cannot be found out.
  static let authUnavailable = RPCError(
    .unavailable,
    reason: "AUTH_UNAVAILABLE",
    domain: domain,
    message: "AuthService cannot be asked about users right now; retry after the given delay",
    retryAfter: .seconds(1)
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
    return RPCError(
      code,
      reason: decision.reason,
      domain: domain,
      message: decision.reason == "STEP_UP_REQUIRED"
        ? "\(action) needs a recent step-up; prove who you are again"
        : "\(action) is not allowed \(cause)",
      metadata: ["action": action, "sufficient_roles": roles.joined(separator: ",")]
    )
  }

  /// A notification from a source that sent too many that were not genuine.
  static func tooManyForgeries(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_ATTEMPTS",
      domain: domain,
      message:
        "too many forged notifications from this network address; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// A user who has tried too many codes that no coupon has.
  static func tooManyCodes(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_ATTEMPTS",
      domain: domain,
      message: "too many codes that no coupon has; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// Legacy receipts are not accepted here.
  static let receiptsNotConfigured = RPCError(
    .failedPrecondition,
    reason: "RECEIPT_ROOT_MISSING",
    domain: domain,
    message:
      "legacy receipts are not accepted here; set apple.receipt_root to the file of Apple Inc. Root, "
      + "or send a transaction of StoreKit 2"
  )

  /// A limit that the catalogue does not call metered.
  static func notMetered(_ key: String) -> RPCError {
    invalidField(
      "limit",
      "NOT_METERED",
      "\"\(key)\" is not metered by the catalogue; use CheckLimit"
    )
  }

  /// Nobody proved to be a user.
  static let userRequired = RPCError(
    .unauthenticated,
    reason: "CREDENTIALS_INVALID",
    domain: domain,
    message: "the call has no valid user credentials; sign in first"
  )
}

extension EntitlementError {
  /// The error as callers see it.
  var rpcError: RPCError {
    func invalid(_ reason: String, _ message: String, _ name: String) -> RPCError {
      RPCError(
        .invalidArgument,
        reason: reason,
        domain: ServiceFault.domain,
        message: message,
        metadata: ["name": name]
      )
    }
    return switch self {
    case .tierUnknown(let name): invalid("TIER_UNKNOWN", "unknown tier \"\(name)\"", name)
    case .addonUnknown(let name): invalid("ADDON_UNKNOWN", "unknown add-on \"\(name)\"", name)
    case .featureUnknown(let name): invalid("FEATURE_UNKNOWN", "unknown feature \"\(name)\"", name)
    case .typeMismatch(let name):
      invalid("TYPE_MISMATCH", "feature \"\(name)\" takes the other kind of value", name)
    case .duplicate(let name): invalid("DUPLICATE", "\"\(name)\" is given twice", name)
    case .emptyWindow:
      invalid("EMPTY_WINDOW", "the window must not end before it begins", "valid_from")
    case .transactionIncomplete(let field):
      invalid(reason, "the transaction has no \(field); send it as the App Store signed it", field)
    case .subscriptionUnknown: ServiceFault.notFound
    case .versionMismatch(let current):
      RPCError(
        .aborted,
        reason: "VERSION_MISMATCH",
        domain: ServiceFault.domain,
        message: "the subject was changed meanwhile; read it again and repeat the change",
        metadata: ["version": "\(current)"]
      )
    case .alreadyClaimed:
      RPCError(
        .failedPrecondition,
        reason: "ALREADY_CLAIMED",
        domain: ServiceFault.domain,
        message: "the purchase belongs to another user"
      )
    case .alreadyUsedUp:
      refused("the purchase was given to an account before, and what is used up is given only once")
    case .transferLimit:
      RPCError(
        .failedPrecondition,
        reason: "TRANSFER_LIMIT",
        domain: ServiceFault.domain,
        message: "the purchase was transferred too often today; try again tomorrow"
      )
    case .promotionUnknown(let name):
      invalid(reason, "unknown trial \"\(name)\"; Subscriptions/ListTiers lists them", name)
    case .couponUnknown:
      invalid(reason, "the code is no coupon's; check its spelling", "code")
    case .promotionForOthers(let name):
      refused("promotion \"\(name)\" is not for subjects of this kind", name)
    case .promotionClosed(let name):
      refused("promotion \"\(name)\" cannot be redeemed at this time", name)
    case .alreadyRedeemed(let name):
      refused("promotion \"\(name)\" was redeemed for this subject before", name)
    case .promotionExhausted(let name):
      refused("promotion \"\(name)\" was redeemed as often as it may be", name)
    case .redemptionLimit:
      refused(
        "the subject has \(Redemption.countMax) trials and coupons at a time, which is the most"
      )
    case .scheduleInPast:
      invalid(reason, "effective_at must be later than now; use Put for an immediate change", "")
    case .scheduleLimit:
      refused(
        "\(ScheduledChange.countMax) changes are scheduled, which is the most; cancel one first"
      )
    case .productNotInReceipt(let name):
      refused("the data proves no purchase of product \"\(name)\"; restore purchases first", name)
    }
  }

  /// Not now, or not for this subject.
  private func refused(_ message: String, _ name: String = "") -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: reason,
      domain: ServiceFault.domain,
      message: message,
      metadata: name.isEmpty ? [:] : ["name": name]
    )
  }

  /// The reason code of the error.
  var reason: String {
    switch self {
    case .tierUnknown: "TIER_UNKNOWN"
    case .addonUnknown: "ADDON_UNKNOWN"
    case .featureUnknown: "FEATURE_UNKNOWN"
    case .typeMismatch: "TYPE_MISMATCH"
    case .duplicate: "DUPLICATE"
    case .emptyWindow: "EMPTY_WINDOW"
    case .transactionIncomplete: "TRANSACTION_INCOMPLETE"
    case .subscriptionUnknown: "NOT_FOUND"
    case .versionMismatch: "VERSION_MISMATCH"
    case .alreadyClaimed, .alreadyUsedUp: "ALREADY_CLAIMED"
    case .transferLimit: "TRANSFER_LIMIT"
    case .promotionUnknown: "PROMOTION_UNKNOWN"
    case .couponUnknown: "COUPON_UNKNOWN"
    case .promotionForOthers: "PROMOTION_FOR_OTHERS"
    case .promotionClosed: "PROMOTION_CLOSED"
    case .alreadyRedeemed: "ALREADY_REDEEMED"
    case .promotionExhausted: "PROMOTION_EXHAUSTED"
    case .redemptionLimit: "REDEMPTION_LIMIT"
    case .scheduleInPast: "SCHEDULE_IN_PAST"
    case .scheduleLimit: "SCHEDULE_LIMIT"
    case .productNotInReceipt: "PRODUCT_NOT_IN_RECEIPT"
    }
  }
}

extension AppleVerificationError {
  /// The error as callers see it: what is wrong, so that forged data, data of another application and
  /// a failure of ours can be told apart.
  var rpcError: RPCError {
    switch self {
    case .invalid(let reason):
      RPCError(
        .invalidArgument,
        reason: reason.name,
        domain: ServiceFault.domain,
        message: "the signed data was rejected; see the reason"
      )
    case .retry:
      RPCError(
        .unavailable,
        reason: "VERIFICATION_UNAVAILABLE",
        domain: ServiceFault.domain,
        message: "the signed data cannot be verified right now; retry after the given delay",
        retryAfter: .seconds(1)
      )
    }
  }
}
