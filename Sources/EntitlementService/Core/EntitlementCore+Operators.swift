internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Operators' reads about others: each time is in the audit log before they get the answer.
extension EntitlementCore {
  /// As `subject(_:_:)`, and for operators anybody's.
  func readableSubject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) async throws -> Subject {
    do {
      return try await subject(wire, call)
    } catch let refusal as RPCError where refusal.code == .notFound {
      guard let subject = try plainSubject(wire, call), call.caller.user != nil else {
        throw refusal
      }
      try await admitOperator(to: subject.id, call, otherwise: refusal)
      return subject
    }
  }

  /// The user whose data a call reads: the caller, or for operators anybody.
  func readableUser(_ requested: String, _ call: CallContext) async throws -> String {
    let userID = try userID(call)
    guard !requested.isEmpty, requested != userID else { return userID }
    let refusal = Self.denying(EntitlementError.notFound, on: requested, call)
    try await admitOperator(to: requested, call, otherwise: refusal)
    return requested
  }

  /// Throws PERMISSION_DENIED unless the caller is an operator, who has not read too much of late.
  ///
  /// The interceptor has asked already; a handler that relies on it alone is one mistake from open.
  func requireOperator(_ call: CallContext) async throws {
    guard try await isAllowed(.administration, of: try userID(call), call) else {
      throw IdentityError.operatorRequired
    }
    try takeOfAuditBudget(call)
  }

  /// Writes down that an operator reads about `id`; throws `refusal` for everybody else.
  func admitOperator(
    to id: String,
    _ call: CallContext,
    otherwise refusal: RPCError
  ) async throws {
    let userID = try userID(call)
    guard try await isAllowed(.administration, of: userID, call) else { throw refusal }
    try takeOfAuditBudget(call)
    try await store.write(call) { tx in
      try tx.audit("operator.read", object: id, scope: id, detail: call.method.fullName)
    }
  }
}
