internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

/// `entitlement.v1.EntitlementAudit`.
struct AuditHandler: Entitlement_V1.EntitlementAuditService {
  let core: EntitlementCore

  func search(
    _ request: Audit_V1.SearchAuditRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.SearchAuditResponse {
    try await core.requireOperator(call)
    let search = AuditSearch(request)
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
      entries: await core.names.named(page.entries),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }
}
