internal import RPCKit
internal import ServiceKit

/// Writes down what operators look at, for the tenants (`TenancyAudit.ListAccess`).
///
/// Streams are left alone: those of a tenant's data write their own record before they send anything. So are changes,
/// which have records of their own.
struct OperatorLookInterceptor: ServerInterceptor {
  let core: TenancyCore
  /// The full names of the methods that change nothing.
  let reads: Set<String>
  /// Whether a user has a role on the system, by which it may see tenants that it has no role of.
  let isOnSystem: @Sendable (_ userID: String) -> Bool

  func begin(_ call: CallContext) throws -> Interception {
    guard !call.isStreaming, let user = call.caller.user, isOnSystem(user.userID),
      reads.contains(call.method.fullName)
    else { return .proceed }
    return .around { call, next in try await record(user.userID, call, next) }
  }

  private func record(
    _ userID: String,
    _ call: CallContext,
    _ next: () async throws -> Void
  ) async throws {
    let (looks, now) = (core.operatorLooks, core.clock.now)
    looks.begin(userID)
    defer { looks.end(userID) }
    try await next()
    let seen = looks.unrecorded(of: userID, now: now)
    guard !seen.isEmpty else { return }
    let method = call.method.fullName
    try await core.change(call) { tx in
      for look in seen { try tx.audit(look, method) }
    }
    looks.recorded(seen, of: userID, now: now)
  }
}
