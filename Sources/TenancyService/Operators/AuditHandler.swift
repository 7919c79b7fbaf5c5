internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.TenancyAudit`.
struct AuditHandler: Tenancy_V1.TenancyAuditService {
  let core: TenancyCore

  func search(
    _ request: Audit_V1.SearchAuditRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.SearchAuditResponse {
    let user = try await core.requireSupport(call)
    try core.auditBudget.take(user.userID)
    let search = AuditSearch(request)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, search.filter]
    )
    let asked = try core.tokens.page(search.asked, cursorCount: 1, binding)
    // Before the record of this call, so that reading the log page by page does not lengthen the page.
    let (page, root) = try await core.store.read { tx in
      (try search.page(asked, in: tx), try TreeReader.root(of: search.object, in: tx))
    }
    try await core.change(call) { tx in
      let method = call.method.fullName
      try tx.audit("audit.search", object: "", detail: "\(page.entries.count); \(search.summary)")
      for subject in search.subjects {
        try tx.audit("operator.read", object: subject, detail: method)
      }
      guard let root, root != Forest.systemIdentifier else { return }
      try tx.audit(treeOf: .init(entityID: search.object, rootID: root), method)
    }
    return .init(
      entries: try await core.named(page.entries),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }

  func listAccess(
    _ request: Tenancy_V1.ListTenancyAccessRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.ListAccessResponse {
    let (user, core) = (try call.requireUser(), core)
    let object = request.entityId.isEmpty ? user.userID : request.entityId
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, object]
    )
    let page = try await core.read { tx in
      if !request.entityId.isEmpty { try core.requireListing(on: object, user, tx) }
      // After the caller's right is known, so that a page token tells nobody anything.
      let asked = try core.tokens.page(
        .init(size: request.pageSize, token: request.pageToken),
        cursorCount: 1,
        binding
      )
      let page = try AccessSearch(of: object).page(asked, in: tx)
      return Audit_V1.ListAccessResponse(
        records: page.records,
        nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
      )
    }
    return .init(
      records: try await core.named(page.records),
      nextPageToken: page.nextPageToken
    )
  }
}
