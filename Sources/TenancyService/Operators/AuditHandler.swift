internal import Contracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.TenancyAudit`.
struct AuditHandler: Tenancy_V1.TenancyAuditService {
  let core: TenancyCore

  func search(
    _ request: Tenancy_V1.SearchAuditRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.SearchAuditResponse {
    let user = try await core.requireAdministrator(call)
    try core.auditBudget.take(user.userID)
    let search = AuditSearch(Auth_V1.SearchAuditRequest(request))
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, search.filter]
    )
    let asked = try core.tokens.page(search.asked, cursorCount: 1, binding)
    // Before the record of this call, so that reading the log page by page does not lengthen the page.
    let page = try await core.store.read { tx in try search.page(asked, in: tx) }
    try await core.store.write(call) { tx in
      try tx.audit("audit.search", object: "", detail: "\(page.entries.count); \(search.summary)")
    }
    return .init(
      entries: page.entries.map { Tenancy_V1.AuditEntry($0) },
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }
}

extension Auth_V1.SearchAuditRequest {
  /// The same as AuthService is asked: the packages of contracts must not import one another in a circle, which Go
  /// refuses.
  fileprivate init(_ request: Tenancy_V1.SearchAuditRequest) {
    self.init(
      actor: request.actor,
      object: request.object,
      action: request.action,
      requestId: request.requestId,
      since: request.since,
      until: request.until,
      refusedOnly: request.refusedOnly,
      pageSize: request.pageSize,
      pageToken: request.pageToken
    )
  }
}

extension Tenancy_V1.AuditEntry {
  fileprivate init(_ entry: Auth_V1.AuditEntry) {
    self.init(
      recordedAt: entry.recordedAt,
      actor: entry.actor,
      onBehalfOf: entry.onBehalfOf,
      action: entry.action,
      object: entry.object,
      done: entry.done,
      requestId: entry.requestId,
      detail: entry.detail
    )
  }
}
