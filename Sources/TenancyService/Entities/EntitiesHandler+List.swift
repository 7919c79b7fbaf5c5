internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension EntitiesHandler {
  func list(
    _ request: Tenancy_V1.ListEntitiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListEntitiesResponse {
    let (user, core, policy) = (try call.requireUser(), core, core.policy)
    guard let type = policy.type(named: request.type), type != .system else {
      throw EntityError.typeUnknown("type")
    }
    let (filters, stored) = try Self.filters(request, of: policy[type])
    // Nobody knows where the second page of what is sifted begins.
    guard stored.isEmpty || request.page == 0 || (request.page == 1 && request.pageToken.isEmpty)
    else {
      throw ErrorCatalog.tenancy.invalid(
        "page",
        "PAGE_OUT_OF_REACH",
        "must be 1 with a filter on text or an integer; use page_token for the pages behind it"
      )
    }
    let order = try RequestedOrder(request.sortBy, descending: request.descending)
    try await core.reach(atLeast: request.atLeastRevision)
    try await requireView(of: request.within, user)
    // Everybody may know of the system, and sees below it what is theirs.
    if request.parentId != Forest.systemIdentifier {
      try await requireView(of: request.parentId, user)
    }
    // Without an action that views them nobody views any.
    guard let action = policy.action(of: .view, on: request.type) else {
      return .init(totalSize: 0)
    }
    var list = EntityList(
      action: action,
      type: request.type,
      within: request.within.isEmpty ? [] : [request.within],
      parent: request.parentId,
      text: request.text,
      filters: filters,
      sifting: stored.isEmpty ? [] : Self.texts(request.filters),
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      page: stored.isEmpty ? request.page : 0
    )
    list.sort(by: order)
    let listed = try await core.list(list, call, user) { record, tx -> Tenancy_V1.Entity? in
      let explanation = try core.ruling(action, on: record.id, type: request.type, user, tx)
      // A right that has ended since shows nothing.
      guard explanation.isAllowed,
        stored.allSatisfy({ $0.passes(record, accessLevel: explanation.accessLevel) })
      else { return nil }
      return core.message(entity: record, explanation)
    }
    return .init(
      entities: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: stored.isEmpty ? listed.total : nil
    )
  }

  /// Throws unless a user may view what bounds a list; empty is no bound.
  private func requireView(of id: String, _ user: UserIdentity) async throws {
    guard !id.isEmpty else { return }
    _ = try await core.read { tx in try core.require(.view, on: id, user, tx) }
  }

  /// The filters that the engine knows, and those for what only the store has.
  private static func filters(
    _ request: Tenancy_V1.ListEntitiesRequest,
    of type: Policy.EntityType
  ) throws(RPCError) -> (coded: [EntityList.Filter], stored: [StoredFilter]) {
    var coded: [EntityList.Filter] = []
    var stored: [StoredFilter] = []
    for (index, filter) in request.filters.enumerated() {
      let field = "filters[\(index)]"
      guard let attribute = type.attributes.first(where: { $0.name == filter.name }) else {
        throw ErrorCatalog.tenancy.invalid(
          "\(field).name",
          "FILTER_INVALID",
          "is not an attribute of a \(type.name)"
        )
      }
      if attribute.isCoded {
        try check(filter, attribute, field: field)
        coded.append(.init(attribute: filter.name, values: filter.values))
      } else {
        stored.append(try StoredFilter(filter, attribute, field: field))
      }
    }
    return (coded, stored)
  }

  private static func check(
    _ filter: Tenancy_V1.AttributeFilter,
    _ attribute: Attribute,
    field: String
  ) throws(RPCError) {
    guard !filter.values.isEmpty, filter.prefix.isEmpty, filter.atLeast == nil,
      filter.atMost == nil
    else {
      throw ErrorCatalog.tenancy.invalid(
        "\(field).values",
        "FILTER_INVALID",
        "is needed, and nothing else, for a boolean or a choice"
      )
    }
    for (index, value) in filter.values.enumerated() where attribute.code(of: value) == nil {
      throw ErrorCatalog.tenancy.invalid(
        "\(field).values[\(index)]",
        "FILTER_INVALID",
        "is not a value of \(filter.name)"
      )
    }
  }

  /// All that filters say, so that a page token is good for the same ones only.
  private static func texts(_ filters: [Tenancy_V1.AttributeFilter]) -> [String] {
    filters.flatMap { filter in
      [filter.name, "\(filter.values.count)"] + filter.values
        + [filter.prefix, "\(filter.atLeast as Any)", "\(filter.atMost as Any)"]
    }
  }
}
