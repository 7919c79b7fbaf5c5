internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

extension EntitiesHandler {
  func list(
    _ request: Tenancy_V1.ListEntitiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListEntitiesResponse {
    let (user, core, policy) = (try call.requireUser(), core, core.policy)
    guard let type = policy.type(named: request.type), type != .system else {
      throw TenancyError.typeUnknown("type")
    }
    for (index, filter) in request.filters.enumerated() {
      try Self.check(filter, of: policy[type], field: "filters[\(index)]")
    }
    try await core.reach(atLeast: request.atLeastRevision)
    if !request.within.isEmpty {
      _ = try await core.read { tx in try core.require(.view, on: request.within, user, tx) }
    }
    // Without an action that views them nobody views any.
    guard let action = policy.action(of: .view, on: request.type) else { return .init() }
    let list = EntityList(
      action: action,
      type: request.type,
      within: request.within.isEmpty ? [] : [request.within],
      text: request.text,
      filters: request.filters.map { .init(attribute: $0.name, values: $0.values) },
      sortBy: request.sortBy,
      isDescending: request.descending,
      pageSize: request.pageSize,
      pageToken: request.pageToken
    )
    let listed = try await core.list(list, call, user) { record, tx -> Tenancy_V1.Entity? in
      let explanation = try core.decide(action, on: record.id, type: request.type, user, tx)
      try core.requireFeatures(explanation)
      // A right that has ended since shows nothing any more.
      return explanation.isAllowed ? core.message(entity: record, explanation) : nil
    }
    return Tenancy_V1.ListEntitiesResponse(
      entities: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: listed.total
    )
  }

  private static func check(
    _ filter: Tenancy_V1.AttributeFilter,
    of type: Policy.EntityType,
    field: String
  ) throws(RPCError) {
    guard let attribute = type.attributes.first(where: { $0.name == filter.name }),
      attribute.isCoded
    else {
      throw TenancyError.invalidField(
        "\(field).name",
        "FILTER_INVALID",
        "is not a boolean or choice attribute of a \(type.name)"
      )
    }
    for (index, value) in filter.values.enumerated() where attribute.code(of: value) == nil {
      throw TenancyError.invalidField(
        "\(field).values[\(index)]",
        "FILTER_INVALID",
        "is not a value of \(filter.name)"
      )
    }
  }
}
