internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Actions of operators only.
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

  /// The user whose roles a caller lists: its own, as a service anybody's, and as an operator anybody's, which
  /// is written down before the answer.
  ///
  /// PERMISSION_DENIED for other users who ask about others.
  func listedUser(_ requested: String, _ call: CallContext) async throws -> String {
    guard let user = call.caller.user, !requested.isEmpty, requested != user.userID else {
      return try call.caller.subject(requested)
    }
    let explanation = try await explanation(BuiltIn.administer, on: Forest.systemIdentifier, user)
    guard explanation.isAllowed else { throw TenancyError.notSelf }
    try auditBudget.take(user.userID)
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
