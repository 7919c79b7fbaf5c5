internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Searches: of what there is not, nothing is found.
extension AuthZenHandler {
  /// Results of one part, at most.
  private static let limitMax: UInt32 = 1000

  func searchSubjects(
    _ request: Tenancy_V1.AuthZenSubjectSearchRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AuthZenSubjectSearchResponse {
    let action = try Self.given(request.action?.name, "action.name")
    let id = try await entityID(request.resource)
    guard request.subject?.type == Self.subjectType, core.policy.action(named: action) != nil
    else { return .init(page: .init()) }
    let list = Tenancy_V1.ListSubjectsRequest(
      entityId: id,
      action: action,
      pageSize: Self.limit(request.page),
      pageToken: request.page?.token ?? ""
    )
    let found: Tenancy_V1.ListSubjectsResponse
    do {
      found = try await permissions.listSubjects(list, call)
    } catch let error as RPCError where error.code == .notFound {
      return .init(page: .init())
    }
    return .init(
      page: .init(nextToken: found.nextPageToken, count: UInt32(found.subjects.count)),
      results: found.subjects.map { .init(type: Self.subjectType, id: $0.userId) }
    )
  }

  func searchResources(
    _ request: Tenancy_V1.AuthZenResourceSearchRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AuthZenResourceSearchResponse {
    let subject = try subject(request.subject, call)
    let action = try Self.given(request.action?.name, "action.name")
    let type = request.resource?.type ?? ""
    let policy = core.policy
    guard let subject, policy.action(named: action) != nil, policy.type(named: type) != nil else {
      return .init(page: .init())
    }
    let found = try await permissions.listAccessible(
      .init(
        subjectId: subject,
        action: action,
        entityType: type,
        pageSize: Self.limit(request.page),
        pageToken: request.page?.token ?? ""
      ),
      call
    )
    return .init(
      page: .init(nextToken: found.nextPageToken, count: UInt32(found.entityIds.count)),
      results: found.entityIds.map { .init(type: type, id: $0) }
    )
  }

  func searchActions(
    _ request: Tenancy_V1.AuthZenActionSearchRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AuthZenActionSearchResponse {
    let subject = try subject(request.subject, call)
    let id = try await entityID(request.resource)
    // All results are in one part, so no token was given for another.
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: ["AuthZen/SearchActions"]
    )
    let asked = RequestedPage.Asked(size: 0, token: request.page?.token ?? "")
    _ = try core.tokens.page(asked, cursorCount: 1, binding)
    guard let subject else { return .init(page: .init()) }
    let found = try await permissions.listActions(
      .init(subjectId: subject, entityIds: [id]),
      call
    )
    let actions = found.entities.first?.actions ?? []
    return .init(
      page: .init(count: UInt32(actions.count)),
      results: actions.map { .init(name: $0) }
    )
  }

  /// The user that a search is about; nil for a subject that is none.
  ///
  /// PERMISSION_DENIED for users who ask about others.
  private func subject(
    _ subject: Tenancy_V1.AuthZenSubject?,
    _ call: CallContext
  ) throws(RPCError) -> String? {
    let type = try Self.given(subject?.type, "subject.type")
    let id = try Self.given(subject?.id, "subject.id")
    return type == Self.subjectType ? try call.caller.subject(id) : nil
  }

  private func entityID(_ resource: Tenancy_V1.AuthZenResource?) async throws -> String {
    let type = try Self.given(resource?.type, "resource.type")
    let id = try Self.given(resource?.id, "resource.id")
    return try await entityID(.init(type: type, id: id))
  }

  /// A field that must be there, whichever message is missing around it.
  private static func given(_ text: String?, _ field: String) throws(RPCError) -> String {
    guard let text, !text.isEmpty else {
      throw ErrorCatalog.tenancy.invalid(field, "REQUIRED", "must be set")
    }
    return text
  }

  private static func limit(_ page: Tenancy_V1.AuthZenPageRequest?) -> UInt32 {
    min(page?.limit ?? 0, limitMax)
  }
}
