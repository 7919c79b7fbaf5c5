internal import AccessEngine
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
    if try await core.explanation(action, on: id, type: SmartHome.portfolio, user).isAllowed {
      try await core.requireUsers(request.managerUserIds, field: "manager_user_ids")
    }
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require(action, on: id, type: SmartHome.portfolio, user, tx)
      let record = try changes.insert(
        SmartHome.property,
        .property,
        under: try tx.known(id, type: SmartHome.portfolio),
        name: request.name,
        attributes: Self.attributes(request.address, request.defaultTimeZone),
        tx
      )
      for manager in request.managerUserIds {
        _ = try changes.grant(SmartHome.propertyManager, to: manager, on: record, tx)
      }
      return try core.message(property: record, user, tx)
    }
  }

  func list(
    _ request: Tenancy_V1.ListPropertiesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListPropertiesResponse {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    if !request.portfolioId.isEmpty {
      try await core.permit(
        "portfolio.view",
        on: request.portfolioId,
        type: SmartHome.portfolio,
        user
      )
    }
    var list = EntityList(
      action: "property.view",
      type: SmartHome.property,
      within: request.portfolioId.isEmpty ? [] : [request.portfolioId],
      text: request.text,
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      page: request.page
    )
    list.sort(by: request.sortBy)
    let listed = try await core.list(list, call, user) { record, tx in
      try core.message(property: record, user, tx)
    }
    return Tenancy_V1.ListPropertiesResponse(
      properties: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: listed.total
    )
  }

  func get(
    _ request: Tenancy_V1.GetPropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    try await core.permit("property.view", on: request.propertyId, type: SmartHome.property, user)
    return try await core.read { tx in
      let record = try tx.known(request.propertyId, type: SmartHome.property)
      return try core.message(property: record, user, tx)
    }
  }

  func update(
    _ request: Tenancy_V1.UpdatePropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Property {
    let user = try call.requireUser()
    try TimeZoneName.check(request.defaultTimeZone ?? "", field: "default_time_zone")
    let mask = try UpdateMask(
      request.updateMask,
      fields: ["name", "address", "default_time_zone", "manager_user_ids"]
    )
    let managers = request.managerUserIds
    let (id, action) = (request.propertyId, "property.manage_managers")
    let replaces = mask.changes("manager_user_ids", isGiven: !managers.isEmpty)
    if replaces,
      try await core.explanation(action, on: id, type: SmartHome.property, user).isAllowed
    {
      try await core.requireUsers(managers, field: "manager_user_ids")
    }
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      let held = try core.held("property.update", on: id, type: SmartHome.property, user, tx)
      if replaces { try core.require(action, on: id, type: SmartHome.property, user, tx) }
      let record = try changes.update(held, expectedRevision: request.expectedRevision, tx) {
        if let name = request.name, mask.changes("name", isGiven: true) { $0.name = name }
        if let address = request.address, mask.changes("address", isGiven: true) {
          for part in SmartHome.address { $0.attributes[part] = nil }
          $0.attributes.merge(Self.attributes(address, "")) { $1 }
        }
        if let zone = request.defaultTimeZone, mask.changes("default_time_zone", isGiven: true) {
          $0.attributes[SmartHome.timeZone] = zone.isEmpty ? nil : .string(zone)
        }
      }
      if replaces {
        try changes.replaceHolders(of: SmartHome.propertyManager, on: record, by: managers, tx)
      }
      return try core.message(property: record, user, tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeletePropertyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      let id = request.propertyId
      try core.require("property.delete", on: id, type: SmartHome.property, user, tx)
      let property = try tx.known(id, type: SmartHome.property)
      let keeping = try changes.keeping(
        devicesOf: property,
        home: request.moveDevicesTo,
        deletesDevices: request.deleteDevices,
        tx
      )
      return try changes.delete(
        property,
        cascades: request.cascade,
        isDryRun: request.dryRun,
        keeping: keeping,
        tx
      )
    }
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
        type: SmartHome.property,
        entityID: request.propertyId,
        role: SmartHome.propertyManager,
        user: try NamedUser(id: request.userId, email: request.email)
      ),
      key: request.idempotencyKey,
      request: request,
      call
    )
  }

  func removeManager(
    _ request: Tenancy_V1.RemovePropertyManagerRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      let id = request.propertyId
      try core.require("property.manage_managers", on: id, type: SmartHome.property, user, tx)
      let property = try tx.known(id, type: SmartHome.property)
      return core.message(
        revoked: try changes.revoke(
          [SmartHome.propertyManager],
          from: request.userId,
          on: property,
          tx
        )
      )
    }
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
