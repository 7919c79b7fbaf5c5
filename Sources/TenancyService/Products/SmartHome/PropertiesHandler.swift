internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Properties`.
struct PropertiesHandler: Tenancy_V1.PropertiesService {
  let core: TenancyCore
  let units: UnitsHandler

  func create(
    _ request: Tenancy_V1.CreatePropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    let user = try call.requireUser()
    try TimeZoneName.check(request.defaultTimeZone, field: "default_time_zone")
    let (core, id, action) = (core, request.portfolioId, "portfolio.create_property")
    let managers = request.managerUserIds
    try await core.requireUsers(managers, field: "manager_user_ids", ifMay: action, on: id, user)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.insert(
        SmartHome.property,
        .property,
        under: try changes.held(action, on: id, tx).record,
        name: request.name,
        attributes: Self.attributes(request.address, request.defaultTimeZone),
        tx
      )
      for manager in managers {
        _ = try changes.grant(SmartHome.propertyManager, to: manager, on: record, tx)
      }
      return try core.message(property: changes.current(record, tx), user, tx)
    }
  }

  func list(
    _ request: Tenancy_V1.ListPropertiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPropertiesResponse {
    let listed = try await core.places(
      request,
      of: SmartHome.property,
      within: [(SmartHome.portfolio, request.portfolioId)],
      call
    ) { record, user, tx in try core.message(property: record, user, tx) }
    return .init(properties: listed.items, nextPageToken: listed.nextToken, totalSize: listed.total)
  }

  func get(
    _ request: Tenancy_V1.GetPropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    try await core.place(
      request.propertyId,
      of: SmartHome.property,
      atLeast: request.atLeastRevision,
      call
    ) { held, user, tx in try core.message(property: held.record, user, tx) }
  }

  func update(
    _ request: Tenancy_V1.UpdatePropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    let user = try call.requireUser()
    try TimeZoneName.check(request.defaultTimeZone ?? "", field: "default_time_zone")
    let mask = try UpdateMask(
      request.updateMask,
      fields: Set(["name", "address", "default_time_zone", "manager_user_ids"])
        .union(SmartHome.address.map { "address.\($0)" })
    )
    let id = request.propertyId
    let action = SmartHome.setting(
      "property.set_managers",
      or: "property.manage_managers",
      core.policy
    )
    let address = Self.attributes(request.address, "")
    let list = PlaceList("manager_user_ids", request.managerUserIds, mask)
    try await list.requireUsers(on: id, ifMay: action, core, user)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let held = try changes.held("property.update", on: id, tx)
      try core.requireKept(
        request.current,
        of: held.record,
        asIn: core.message(property: held.record, user, tx)
      )
      let role = SmartHome.propertyManager
      let replaces = list.changes(try core.holders(of: [role], on: held.record, tx))
      if replaces { try changes.require(action, on: id, tx) }
      var record = try changes.update(held, expectedRevision: request.expectedRevision, tx) {
        if let name = request.name, mask.changes("name", isGiven: true) { $0.name = name }
        for part in SmartHome.address
        where mask.changes(part, of: "address", isGiven: request.address != nil) {
          $0.attributes[part] = address[part]
        }
        if let zone = request.defaultTimeZone, mask.changes("default_time_zone", isGiven: true) {
          $0.attributes[SmartHome.timeZone] = zone.isEmpty ? nil : .string(zone)
        }
      }
      if replaces {
        try changes.replaceHolders(of: role, on: record, by: list.userIDs, action: action, tx)
        record = try changes.current(record, tx)
      }
      return try core.message(property: record, user, tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeletePropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    try await core.delete(request.propertyId, of: SmartHome.property, request, call)
  }

  func createUnit(
    _ request: Tenancy_V1.CreatePropertyUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    try await units.create(
      Tenancy_V1.CreateUnitRequest(
        propertyId: request.propertyId,
        name: request.name,
        tenantUserIds: request.tenantUserIds,
        deviceIds: request.deviceIds,
        commonAreaDeviceIds: request.commonAreaDeviceIds,
        idempotencyKey: request.idempotencyKey
      ),
      call
    )
  }

  func listUnits(
    _ request: Tenancy_V1.ListUnitsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListUnitsResponse {
    guard !request.propertyId.isEmpty else {
      throw ErrorCatalog.tenancy.invalid("property_id", "REQUIRED", "is required")
    }
    return try await units.list(request, call)
  }

  func addManager(
    _ request: Tenancy_V1.AddPropertyManagerRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await core.addRole(
      RoleGrant(
        action: "property.manage_managers",
        entityID: request.propertyId,
        role: SmartHome.propertyManager,
        user: try NamedUser(id: request.userId, email: request.email)
      ),
      call,
      request,
      key: \.idempotencyKey
    )
  }

  func removeManager(
    _ request: Tenancy_V1.RemovePropertyManagerRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await core.removeRoles(
      [SmartHome.propertyManager],
      from: request.userId,
      on: request.propertyId,
      by: "property.manage_managers",
      call,
      request,
      key: \.idempotencyKey
    )
  }

  private static func attributes(
    _ address: Tenancy_V1.PropertyAddress?,
    _ timeZone: String
  ) -> [String: JSONValue] {
    let texts = [
      "street": address?.street, "city": address?.city, "state": address?.state,
      "postal_code": address?.postalCode, "country": address?.country,
      SmartHome.timeZone: timeZone,
    ]
    return texts.compactMapValues { $0 }.filter { !$0.value.isEmpty }.mapValues { .string($0) }
  }
}
