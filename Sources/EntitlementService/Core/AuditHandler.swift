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
    try await core.requireSupport(call)
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
      for subject in search.subjects {
        try tx.audit("operator.read", object: subject, detail: call.method.fullName)
      }
    }
    return .init(
      entries: await core.names.named(page.entries),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }

  func listAccess(
    _ request: Entitlement_V1.ListEntitlementAccessRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.ListAccessResponse {
    let own = Entitlement_V1.Subject(kind: .user, id: try call.requireUser().userID)
    let subject = try await core.subject(request.subject ?? own, call)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, subject.id]
    )
    let asked = try core.tokens.page(
      .init(size: request.pageSize, token: request.pageToken),
      cursorCount: 1,
      binding
    )
    let search = AccessSearch(of: subject.id)
    let page = try await core.store.read { tx in try search.page(asked, in: tx) }
    return .init(
      records: await core.names.named(page.records),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }
}
