internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension EntitlementsHandler {
  func listChanges(
    _ request: Entitlement_V1.ListEntitlementChangesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListEntitlementChangesResponse {
    let subject = try await core.readableSubject(request.subject, call)
    let now = core.clock.now
    let direction = ListDirection(request.sortBy, standard: .descending)
    let page = try await core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      of: [subject.kind.rawValue, subject.id]
        + (request.sortBy.isEmpty ? [] : [request.sortBy]),
      call,
      cursorCount: 2,
      cursor: \EntitlementChangeRecord.place.cursor
    ) { cursor, skipped, count, tx in
      let start = cursor.flatMap { EntitlementChangePlace(cursor: $0) }
      return try EntitlementChangeTable.page(
        of: subject,
        after: start,
        direction,
        at: now,
        skipping: skipped,
        count: count,
        in: tx
      )
    }
    return .init(changes: page.records.map(\.wire), nextPageToken: page.next)
  }
}
