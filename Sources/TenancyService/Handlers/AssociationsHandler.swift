internal import AccessEngine
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
      AssociationList(
        anchor: .user(subject),
        isInForce: request.inForce,
        pageSize: request.pageSize,
        pageToken: request.pageToken
      ),
      method: "ListByUser",
      call
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
    return try await list(
      AssociationList(
        anchor: .entity(id, role: request.role),
        isInForce: request.inForce,
        pageSize: request.pageSize,
        pageToken: request.pageToken
      ),
      method: "ListByEntity",
      call
    )
  }

  private func list(
    _ list: AssociationList,
    method: String,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let revision = core.engine.revision
    let page = try await core.page(list, method: method, call.caller)
    return Tenancy_V1.ListAssociationsResponse(
      associations: page.items,
      nextPageToken: page.nextToken,
      revision: core.tokens.token(revision: revision)
    )
  }
}
