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
    let order = try RequestedOrder(request.sortBy, descending: request.descending)
    let attribute = try Self.attribute(of: order, policy[type])
    // Nobody knows where the second page of what is sifted begins, unless all of it is sorted.
    let isSifted = !stored.isEmpty && attribute == nil
    guard !isSifted || request.page == 0 || (request.page == 1 && request.pageToken.isEmpty)
    else {
      throw ErrorCatalog.tenancy.invalid(
        "page",
        "PAGE_OUT_OF_REACH",
        "must be 1 with a filter on text or an integer; use page_token for the pages behind it"
      )
    }
    try await core.reach(atLeast: request.atLeastRevision)
    try await requireBound(request.within, user)
    // Everybody may know of the system, and sees below it what is theirs.
    if request.parentId != Forest.systemIdentifier {
      try await requireBound(request.parentId, user)
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
      page: isSifted ? 0 : request.page
    )
    list.sort(by: order)
    let passes = { @Sendable (record: EntityRecord, accessLevel: Int) in
      stored.allSatisfy { $0.passes(record, accessLevel: accessLevel) }
    }
    let message = {
      @Sendable (record: EntityRecord, tx: borrowing ReadTransaction) -> Tenancy_V1.Entity? in
      let explanation = try core.ruling(action, on: record.id, type: request.type, user, tx)
      // A right that has ended since shows nothing.
      guard explanation.isAllowed, passes(record, explanation.accessLevel) else { return nil }
      return core.message(entity: record, explanation)
    }
    let listed =
      if let attribute {
        try await core.list(list, by: attribute, call, user, passes: passes, message: message)
      } else {
        try await core.list(list, call, user, message: message)
      }
    return .init(
      entities: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: isSifted ? nil : listed.total
    )
  }

  /// The attribute that a request sorts by; nil for what the engine sorts by itself.
  private static func attribute(
    of order: RequestedOrder,
    _ type: Policy.EntityType
  ) throws(RPCError) -> AttributeOrder? {
    guard !["", "name", "created_at"].contains(order.field) else { return nil }
    guard let attribute = AttributeOrder(order, of: type) else {
      throw EntityError.sortUnknown(type.name)
    }
    return attribute
  }

  /// Throws unless a user may view what bounds a list or has a role below it; empty is no bound.
  private func requireBound(_ id: String, _ user: UserIdentity) async throws {
    guard !id.isEmpty,
      try await !core.retrying({ try core.hasRoleBelow(id, user) })
    else { return }
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
