internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Actions of operators and support people on an account, for its user.
enum AccountAccess {
  /// Those that have the account for their object.
  static let actions = [
    "user.get", "user.get_factors", "user.disable", "user.enable", "session.list",
    "session.end_all", "audit.list", "password.force_reset", "account.request_change",
    "account.cancel_change", "account.list_changes", "account.change",
  ]

  /// One page of what was done to the caller's account.
  static func page(
    _ request: Auth_V1.ListAccessRequest,
    _ core: AuthCore,
    _ call: CallContext
  ) async throws -> Audit_V1.ListAccessResponse {
    let caller = try call.requireUser()
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken),
      "Users.ListAccess \(caller.userID)"
    )
    let search = AccessSearch(of: caller.userID, actions: actions)
    let page = try await core.store.read { tx in try search.page(asked, in: tx) }
    return .init(
      records: try await core.named(page.records),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }
}
