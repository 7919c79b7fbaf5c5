internal import Contracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Associations`.
struct AssociationsHandler: Tenancy_V1.AssociationsService {
  let core: TenancyCore

  func listByUser(
    _ request: Tenancy_V1.ListByUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let subject = try call.caller.subject(request.userId)
    // Whoever signs up holds nothing yet: memory knows that, and reading the store for it would keep
    // checks waiting while many sign in.
    let revision = core.engine.read { $0.holdsNothing(subject) ? $0.revision : nil }
    if let revision, request.pageToken.isEmpty {
      return Tenancy_V1.ListAssociationsResponse(revision: core.tokens.token(revision: revision))
    }
    return try await list(
      "a.user_id = ?",
      [.text(subject)],
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      TokenSealer.PageBinding(caller: call.caller.description, filter: ["ListByUser", subject])
    )
  }

  func listByEntity(
    _ request: Tenancy_V1.ListByEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let user = try call.requireUser()
    let id = request.entityId
    // What is not there has no type, and then no action either, so that the caller is answered by the
    // same decision. So has the system: who administers everything is nobody's to read.
    let type =
      core.engine.read { forest in
        forest.entity(id).map { forest.policy[forest.type($0)].name }
      }.flatMap { $0 == SmartHome.system ? nil : $0 } ?? ""
    try await core.permit("\(type).list_associations", on: id, type: type, user)
    var condition = "a.entity_id = ?"
    var values: [SQLValue] = [.text(id)]
    if !request.role.isEmpty {
      condition += " AND a.role = ?"
      values.append(.text(request.role))
    }
    return try await list(
      condition,
      values,
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      TokenSealer.PageBinding(
        caller: call.caller.description,
        filter: ["ListByEntity", id, request.role]
      )
    )
  }

  private func list(
    _ condition: String,
    _ values: [SQLValue],
    pageSize: UInt32,
    pageToken: String,
    _ binding: TokenSealer.PageBinding
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let cursor = try core.tokens.cursor(pageToken: pageToken, count: 1, binding)
    let after = cursor.flatMap { Int64($0[0]) } ?? 0
    let limit = pageSize == 0 ? EntityList.pageSizeStandard : Int(pageSize)
    let (core, revision) = (core, core.engine.revision)
    let rows = try await core.read { tx in
      try tx.query(
        """
        \(AssociationRecord.selection)
        WHERE \(condition) AND a.added > ? ORDER BY a.added LIMIT ?
        """,
        values: values + [.integer(after), .integer(limit + 1)]
      ) { AssociationRecord(row: $0) }
    }
    let page = core.page(of: rows, limit: limit, binding) { ["\($0.added)"] }
    return Tenancy_V1.ListAssociationsResponse(
      associations: page.records.map { core.message(association: $0) },
      nextPageToken: page.nextToken,
      revision: core.tokens.token(revision: revision)
    )
  }
}
