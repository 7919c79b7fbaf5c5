internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// A request for a list of the smart home's entities.
protocol PlaceListRequest: PagedRequest {
  var text: String { get }
  var sortBy: String { get }
  var page: UInt32 { get }
  var atLeastRevision: String { get }
}

extension Tenancy_V1.ListPortfoliosRequest: PlaceListRequest {}
extension Tenancy_V1.ListPropertiesRequest: PlaceListRequest {}
extension Tenancy_V1.ListUnitsRequest: PlaceListRequest {}
extension Tenancy_V1.ListDevicesRequest: PlaceListRequest {}

/// A request to delete what may have devices below it.
protocol PlaceDeletionRequest: Message {
  var moveDevicesTo: String { get }
  var deleteDevices: Bool { get }
  var cascade: Bool { get }
  var dryRun: Bool { get }
  var idempotencyKey: String { get }
}

extension Tenancy_V1.DeletePortfolioRequest: PlaceDeletionRequest {}
extension Tenancy_V1.DeletePropertyRequest: PlaceDeletionRequest {}
extension Tenancy_V1.DeleteUnitRequest: PlaceDeletionRequest {}

/// The calls that are alike for the smart home's types, each of which has an action `view` and may have `delete`.
extension TenancyCore {
  /// A page of the entities of a type that the caller may view, within those of the places that are named or
  /// linked from the lowest of them.
  func places<Item: Message>(
    _ request: some PlaceListRequest,
    of type: String,
    within places: [(type: String, id: String)] = [],
    link: String = "",
    filters: [EntityList.Filter] = [],
    _ call: CallContext,
    message:
      @escaping @Sendable (EntityRecord, UserIdentity, borrowing ReadTransaction) throws -> Item
  ) async throws -> Listed<Item> {
    let user = try call.requireUser()
    try await reach(atLeast: request.atLeastRevision)
    let named = places.filter { !$0.id.isEmpty }
    for place in named { try await permitBound(place.id, type: place.type, user) }
    var list = EntityList(
      action: "\(type).view",
      type: type,
      within: named.map(\.id),
      link: link,
      text: request.text,
      filters: filters,
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      page: request.page
    )
    list.sort(by: RequestedOrder(request.sortBy))
    let listed = try await self.list(list, call, user) { record, tx in try message(record, user, tx)
    }
    return Listed(
      items: await namedIfPossible(listed.items),
      nextToken: listed.nextToken,
      total: listed.total
    )
  }

  /// An entity of a type that the caller may view, and the decision that says so.
  func place<Item: Message>(
    _ id: String,
    of type: String,
    atLeast revision: String,
    _ call: CallContext,
    message:
      @escaping @Sendable (HeldEntity, UserIdentity, borrowing ReadTransaction) throws -> Item
  ) async throws -> Item {
    let user = try call.requireUser()
    try await reach(atLeast: revision)
    let held = try await permit("\(type).view", on: id, user)
    let item = try await read { tx in
      try message(
        .init(record: try EntityTable.known(id, type: type, in: tx), explanation: held),
        user,
        tx
      )
    }
    return await namedIfPossible(item)
  }

  /// Deletes a portfolio, a property or a unit; the devices of a unit stay in its property if nothing else is said.
  func delete(
    _ id: String,
    of type: String,
    _ request: some PlaceDeletionRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    let core = self
    let response = try await write(call, request, key: \.idempotencyKey) { changes, tx in
      let place = try changes.held("\(type).delete", on: id, tx).record
      let keeping = try changes.keeping(
        devicesOf: place,
        home: request.moveDevicesTo,
        heir: type == SmartHome.unit
          ? try EntityTable.known(place.parentID, type: SmartHome.property, in: tx) : nil,
        deletesDevices: request.deleteDevices,
        tx
      )
      let options = DeletionOptions(
        cascades: request.cascade,
        isDryRun: request.dryRun,
        keeping: keeping
      )
      return core.message(deletion: try changes.delete(place, options, tx), home: keeping?.home)
    }
    if !response.deletionId.isEmpty { endings?.wake() }
    return response
  }
}
