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
      let subject = try await subject(wire, call)
      try await recordLook(at: subject, call)
      return subject
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

  /// Throws PERMISSION_DENIED unless the caller is an operator or a support person, who has not read too much of
  /// late.
  ///
  /// The interceptor has asked already; a handler that relies on it alone is one mistake from open.
  func requireSupport(_ call: CallContext) async throws {
    guard try await isAllowed(.inspection, of: try userID(call), call) else {
      throw IdentityError.supportRequired
    }
    try takeOfAuditBudget(call)
  }

  /// Writes down that an operator or a support person reads about `id`; throws `refusal` for everybody else.
  func admitOperator(
    to id: String,
    _ call: CallContext,
    otherwise refusal: RPCError
  ) async throws {
    let userID = try userID(call)
    guard try await isAllowed(.inspection, of: userID, call) else { throw refusal }
    let assurance = call.caller.user?.assurance(at: clock.now)
    if assurance?.satisfies("mfa", of: call.method.fullName) != true,
      try await !isAllowed(.administration, of: userID, call)
    {
      throw IdentityError.secondFactorRequired
    }
    try takeOfAuditBudget(call)
    try await record(id, call)
  }

  /// Writes down that an operator, whose role lets it see all tenants, looks at one; once an hour.
  func recordLook(at subject: Subject, _ call: CallContext) async throws {
    guard subject.kind != .user, let user = call.caller.user, user.actingService == nil,
      !looks.has(subject.id, by: user.userID, now: clock.now),
      try await isAllowed(.administration, of: user.userID, call)
    else { return }
    try await record(subject.id, call)
    looks.note(subject.id, by: user.userID, now: clock.now)
  }

  private func record(_ id: String, _ call: CallContext) async throws {
    try await store.write(call) { tx in
      try tx.audit("operator.read", object: id, scope: id, detail: call.method.fullName)
    }
  }
}
