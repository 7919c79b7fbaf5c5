internal import Contracts
internal import RPCKit
internal import ServiceKit

extension EntitlementsHandler {
  private static let pageSizeDefault = 50

  func listChanges(
    _ request: Entitlement_V1.ListEntitlementChangesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListEntitlementChangesResponse {
    let subject = try await core.readableSubject(request.subject, call)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName, subject.kind.rawValue, subject.id]
    )
    let start = try core.tokens.cursor(pageToken: request.pageToken, count: 2, binding)
      .flatMap { EntitlementChangePlace(cursor: $0) }
    let size = request.pageSize == 0 ? Self.pageSizeDefault : Int(request.pageSize)
    let now = core.clock.now
    // One more than asked for says whether there is another page.
    let records = try await core.store.read { tx in
      try EntitlementChangeTable.page(of: subject, before: start, at: now, count: size + 1, in: tx)
    }
    let page = records.prefix(size)
    var next = ""
    if records.count > size, let last = page.last {
      next = core.tokens.pageToken(after: last.place.cursor, binding)
    }
    return .init(changes: page.map(\.wire), nextPageToken: next)
  }
}
