internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Actions of operators, and of support people.
extension TenancyCore {
  /// The calling operator; PERMISSION_DENIED for everybody else.
  ///
  /// The interceptor has asked already; a handler that relies on it alone is one mistake from open.
  func requireAdministrator(_ call: CallContext) async throws -> UserIdentity {
    let user = try call.requireUser()
    let explanation = try await explanation(BuiltIn.administer, on: Forest.systemIdentifier, user)
    guard explanation.isAllowed else { throw Self.noAdministrator(explanation.reason) }
    return user
  }

  /// The same when the turn of a write has come.
  func requireAdministrator(_ user: UserIdentity, _ tx: borrowing WriteTransaction) throws {
    let explanation = try ruling(BuiltIn.administer, on: Forest.systemIdentifier, user, tx)
    guard explanation.isAllowed else { throw Self.noAdministrator(explanation.reason) }
  }

  // MARK: - Support people

  /// The calling support person or operator; PERMISSION_DENIED for everybody else.
  func requireSupport(_ call: CallContext) async throws -> UserIdentity {
    let user = try call.requireUser()
    let explanation = try await explanation(BuiltIn.inspect, on: Forest.systemIdentifier, user)
    guard explanation.isAllowed else { throw Self.noAdministrator(explanation.reason) }
    return user
  }

  /// Throws `refusal` unless a user is a support person or an operator, and STEP_UP_REQUIRED for a support person who
  /// has signed in without a second factor.
  func requireSupport(
    _ user: UserIdentity,
    _ call: CallContext,
    otherwise refusal: RPCError
  ) async throws {
    let system = Forest.systemIdentifier
    guard try await explanation(BuiltIn.inspect, on: system, user).isAllowed else { throw refusal }
    let assurance = user.assurance(at: clock.now)
    if !assurance.satisfies("mfa", of: call.method.fullName),
      try await !explanation(BuiltIn.administer, on: system, user).isAllowed
    {
      throw IdentityError.secondFactorRequired
    }
    try auditBudget.take(user.userID)
  }

  /// The user whose roles a caller lists: its own, as a service anybody's, and as an operator or a support person
  /// anybody's, which is written down before the answer.
  ///
  /// PERMISSION_DENIED for other users who ask about others.
  func listedUser(_ requested: String, _ call: CallContext) async throws -> String {
    guard let user = call.caller.user, !requested.isEmpty, requested != user.userID else {
      return try call.caller.subject(requested)
    }
    try await requireSupport(user, call, otherwise: TenancyError.notSelf)
    try await store.write(call) { tx in
      try tx.audit(
        "operator.read",
        object: requested,
        scope: Forest.systemIdentifier,
        detail: call.method.fullName
      )
    }
    return requested
  }

  private static func noAdministrator(_ reason: ReasonCode) -> RPCError {
    TenancyError.denied(reason, action: BuiltIn.administer, sufficientRoles: [])
      .denying(BuiltIn.administer, on: Forest.systemIdentifier, because: reason)
  }
}
