internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// People as other people may see them.
///
/// TenancyService says whom the caller may see, because the policy is there; the names are AuthService's. People
/// whom the caller may not see are left out, exactly like those who do not exist.
extension UsersHandler {
  func lookup(
    _ request: Auth_V1.LookupUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.LookupUsersResponse {
    let names = try await names(request.userIds, for: try call.requireUser())
    return .init(users: names.map { .init(id: $0.userID, displayName: $0.text) })
  }

  func get(
    _ request: Auth_V1.LookupUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UserSummary {
    guard let name = try await names([request.userId], for: try call.requireUser()).first else {
      throw AuthError.userNotFound
    }
    return .init(id: name.userID, displayName: name.text)
  }

  /// The names of those of some people whom a user may see, each once.
  private func names(_ ids: [String], for user: UserIdentity) async throws -> [UserName] {
    var seen: Set<String> = []
    let asked = ids.filter { seen.insert($0).inserted }
    let others = asked.filter { $0 != user.userID }
    let visible =
      others.isEmpty ? [] : try await core.contexts.visible(others, to: user.userID)
    let shown = asked.filter { $0 == user.userID || visible.contains($0) }
    return try await core.store.read { tx in try UserNames.all(shown, in: tx) }
  }
}
