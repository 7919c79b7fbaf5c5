import Contracts
import RPCKit
import ServiceKit

/// The objects that one cell of the matrix speaks of.
struct MatrixObjects: Sendable {
  var portfolio: String
  var property: String
  var unit: String
  var door: String
  var cellar: String
  var pass: String
}

/// Who stands where, as far as one object goes.
enum MatrixRole: String, CaseIterable, Sendable {
  case superAdmin
  case owner
  case admin
  case manager
  case tenant
  case guest
  case stranger

  static let staff: Set<MatrixRole> = [.superAdmin, .owner, .admin, .manager]
  static let portfolioStaff: Set<MatrixRole> = [.superAdmin, .owner, .admin]
  static let owners: Set<MatrixRole> = [.superAdmin, .owner]

  func user(of building: Building) -> String {
    switch self {
    case .superAdmin: "usr_super"
    case .owner: building.owner
    case .admin: building.admin
    case .manager: building.manager
    case .tenant: building.tenant
    case .guest: building.guest
    case .stranger: "usr_stranger"
    }
  }
}

/// One method: how to call it without changing what the other cells need, and who may.
struct MatrixRow: Sendable {
  /// What the object of the call is, which says who may know of it.
  enum Object: Sendable {
    /// None: everyone gets an answer of their own.
    case none
    case portfolio
    case property
    case unit
    case device
    /// A guest pass; one that the caller may not know of is as good as gone, which is no error.
    case goneIsFine
    /// For services only; users are kept out before the handler.
    case service

    var knowing: Set<MatrixRole> {
      switch self {
      case .none, .service: Set(MatrixRole.allCases)
      case .portfolio: MatrixRole.portfolioStaff
      case .property: MatrixRole.staff
      case .unit: MatrixRole.staff.union([.tenant])
      case .device, .goneIsFine: MatrixRole.staff.union([.tenant, .guest])
      }
    }
  }

  let object: Object
  let allowed: Set<MatrixRole>
  let call: @Sendable (TenancyStage, MatrixObjects, CallOptions) async throws -> Void

  init(
    _ object: Object,
    _ allowed: Set<MatrixRole>,
    _ call: @escaping @Sendable (TenancyStage, MatrixObjects, CallOptions) async throws -> Void
  ) {
    self.object = object
    self.allowed = allowed
    self.call = call
  }

  private static let everyone = Set(MatrixRole.allCases)
  private static let unitUsers = MatrixRole.staff.union([.tenant])
  private static let deviceUsers = MatrixRole.staff.union([.tenant, .guest])

  /// A row for each method of the service.
  static let rows: [String: MatrixRow] = portfolios.merging(properties) { $1 }
    .merging(units) { $1 }.merging(devices) { $1 }.merging(others) { $1 }

  private static let portfolios: [String: MatrixRow] = [
    "Portfolios/Create": .init(.none, everyone) { stage, _, options in
      _ = try await stage.portfolios.create(.init(name: "new"), options: options)
    },
    "Portfolios/List": .init(.none, everyone) { stage, _, options in
      _ = try await stage.portfolios.list(.init(), options: options)
    },
    "Portfolios/Get": .init(.portfolio, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.portfolios.get(.init(portfolioId: on.portfolio), options: options)
    },
    "Portfolios/Update": .init(.portfolio, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.portfolios.update(.init(portfolioId: on.portfolio), options: options)
    },
    "Portfolios/Delete": .init(.portfolio, MatrixRole.owners) { stage, on, options in
      _ = try await stage.portfolios.delete(
        .init(portfolioId: on.portfolio, cascade: true, dryRun: true),
        options: options
      )
    },
    "Portfolios/CreateProperty": .init(.portfolio, MatrixRole.portfolioStaff) {
      stage,
      on,
      options in
      _ = try await stage.portfolios.createProperty(
        .init(portfolioId: on.portfolio, name: "new"),
        options: options
      )
    },
    "Portfolios/ListProperties": .init(.portfolio, MatrixRole.portfolioStaff) {
      stage,
      on,
      options in
      _ = try await stage.portfolios.listProperties(
        .init(portfolioId: on.portfolio),
        options: options
      )
    },
    "Portfolios/AddAdmin": .init(.portfolio, MatrixRole.owners) { stage, on, options in
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: on.portfolio, userId: "usr_added"),
        options: options
      )
    },
    "Portfolios/RemoveAdmin": .init(.portfolio, MatrixRole.owners) { stage, on, options in
      _ = try await stage.portfolios.removeAdmin(
        .init(portfolioId: on.portfolio, userId: "usr_added"),
        options: options
      )
    },
  ]

  private static let properties: [String: MatrixRow] = [
    "Properties/Create": .init(.portfolio, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.properties.create(
        .init(portfolioId: on.portfolio, name: "new"),
        options: options
      )
    },
    "Properties/List": .init(.portfolio, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.properties.list(.init(portfolioId: on.portfolio), options: options)
    },
    "Properties/Get": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.properties.get(.init(propertyId: on.property), options: options)
    },
    "Properties/Update": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.properties.update(.init(propertyId: on.property), options: options)
    },
    "Properties/Delete": .init(.property, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.properties.delete(
        .init(propertyId: on.property, dryRun: true),
        options: options
      )
    },
    "Properties/CreateUnit": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.properties.createUnit(
        .init(propertyId: on.property, name: "new"),
        options: options
      )
    },
    "Properties/ListUnits": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.properties.listUnits(.init(propertyId: on.property), options: options)
    },
    "Properties/AddManager": .init(.property, MatrixRole.portfolioStaff) { stage, on, options in
      _ = try await stage.properties.addManager(
        .init(propertyId: on.property, userId: "usr_added"),
        options: options
      )
    },
    "Properties/RemoveManager": .init(.property, MatrixRole.portfolioStaff) {
      stage,
      on,
      options in
      _ = try await stage.properties.removeManager(
        .init(propertyId: on.property, userId: "usr_added"),
        options: options
      )
    },
  ]

  private static let units: [String: MatrixRow] = [
    "Units/Create": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.create(.init(propertyId: on.property, name: "n"), options: options)
    },
    "Units/List": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.list(.init(propertyId: on.property), options: options)
    },
    "Units/Get": .init(.unit, unitUsers) { stage, on, options in
      _ = try await stage.units.get(.init(unitId: on.unit), options: options)
    },
    "Units/Update": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.update(.init(unitId: on.unit), options: options)
    },
    "Units/Delete": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.delete(.init(unitId: on.unit, dryRun: true), options: options)
    },
    "Units/AddTenant": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.addTenant(
        .init(unitId: on.unit, userId: "usr_added"),
        options: options
      )
    },
    "Units/RemoveTenant": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.removeTenant(
        .init(unitId: on.unit, userId: "usr_added"),
        options: options
      )
    },
    "Units/ListTenants": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.listTenants(.init(unitId: on.unit), options: options)
    },
    "Units/AssignDevice": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.assignDevice(
        .init(unitId: on.unit, deviceId: on.door),
        options: options
      )
    },
    "Units/UnassignDevice": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.units.unassignDevice(
        .init(unitId: on.unit, deviceId: on.cellar),
        options: options
      )
    },
    "Units/ListDevices": .init(.unit, unitUsers) { stage, on, options in
      _ = try await stage.units.listDevices(.init(unitId: on.unit), options: options)
    },
  ]

  private static let devices: [String: MatrixRow] = [
    "Devices/Register": .init(.property, MatrixRole.staff) { stage, on, options in
      _ = try await stage.devices.register(
        .init(propertyId: on.property, name: "new", type: "light"),
        options: options
      )
    },
    "Devices/List": .init(.unit, unitUsers) { stage, on, options in
      _ = try await stage.devices.list(.init(unitId: on.unit), options: options)
    },
    "Devices/Get": .init(.device, deviceUsers) { stage, on, options in
      _ = try await stage.devices.get(.init(deviceId: on.door), options: options)
    },
    "Devices/Update": .init(.device, MatrixRole.staff) { stage, on, options in
      _ = try await stage.devices.update(.init(deviceId: on.door), options: options)
    },
    "Devices/Delete": .init(.device, MatrixRole.staff) { stage, on, options in
      _ = try await stage.devices.delete(.init(deviceId: on.door, dryRun: true), options: options)
    },
    "Devices/Operate": .init(.device, deviceUsers) { stage, on, options in
      _ = try await stage.devices.operate(
        .init(deviceId: on.door, operation: "unlock"),
        options: options
      )
    },
    "Devices/ListHistory": .init(.device, unitUsers) { stage, on, options in
      _ = try await stage.devices.listHistory(.init(deviceId: on.door), options: options)
    },
  ]

  private static let others: [String: MatrixRow] = [
    "Guests/Grant": .init(.device, unitUsers) { stage, on, options in
      _ = try await stage.guests.grant(
        .init(
          userId: "usr_added",
          deviceIds: [on.door],
          validUntil: .init(milliseconds: TenancyStage.start + 1_000_000)
        ),
        options: options
      )
    },
    "Guests/List": .init(.device, deviceUsers) { stage, on, options in
      _ = try await stage.guests.list(.init(deviceId: on.door), options: options)
    },
    "Guests/Update": .init(.device, unitUsers) { stage, on, options in
      _ = try await stage.guests.update(.init(passId: on.pass), options: options)
    },
    // Kept for last by its cell: it ends the guest's own pass.
    "Guests/Revoke": .init(.goneIsFine, deviceUsers) { stage, on, options in
      _ = try await stage.guests.revoke(
        .init(passId: "asc_\(on.pass.dropFirst(5))"),
        options: options
      )
    },
    "Associations/ListByUser": .init(.none, everyone) { stage, _, options in
      _ = try await stage.associations.listByUser(.init(), options: options)
    },
    "Associations/ListByEntity": .init(.unit, MatrixRole.staff) { stage, on, options in
      _ = try await stage.associations.listByEntity(.init(entityId: on.unit), options: options)
    },
    "Associations/GrantSuperAdmin": .init(.service, []) { stage, _, options in
      _ = try await stage.associations.grantSuperAdmin(.init(userId: "usr_x"), options: options)
    },
    "Associations/RevokeSuperAdmin": .init(.service, []) { stage, _, options in
      _ = try await stage.associations.revokeSuperAdmin(.init(userId: "usr_x"), options: options)
    },
    "Subjects/Suspend": .init(.none, [.superAdmin]) { stage, _, options in
      _ = try await stage.subjects.suspend(.init(userId: "usr_suspended"), options: options)
    },
    "Subjects/Resume": .init(.none, [.superAdmin]) { stage, _, options in
      _ = try await stage.subjects.resume(.init(userId: "usr_suspended"), options: options)
    },
    "Subjects/ListSuspended": .init(.none, [.superAdmin]) { stage, _, options in
      _ = try await stage.subjects.listSuspended(.init(), options: options)
    },
    "Permissions/Check": .init(.device, deviceUsers) { stage, on, options in
      let request = Tenancy_V1.CheckRequest(action: "device.unlock", entityId: on.door)
      try refuse(try await stage.permissions.check(request, options: options))
    },
    "Permissions/BatchCheck": .init(.device, deviceUsers) { stage, on, options in
      let request = Tenancy_V1.CheckRequest(action: "device.unlock", entityId: on.door)
      try refuse(
        try await stage.permissions.batchCheck(.init(checks: [request]), options: options)
          .decisions[0]
      )
    },
    "Permissions/ListActions": .init(.none, everyone) { stage, on, options in
      _ = try await stage.permissions.listActions(.init(entityIds: [on.door]), options: options)
    },
    "Permissions/ListAccessible": .init(.none, everyone) { stage, _, options in
      _ = try await stage.permissions.listAccessible(
        .init(action: "device.view", entityType: "device"),
        options: options
      )
    },
    "Permissions/WatchChanges": .init(.service, []) { stage, _, options in
      for try await _ in stage.permissions.watchChanges(.init(), options: options) { return }
    },
  ]

  /// A denial is an answer here; what it must not say is that there is such an entity.
  private static func refuse(_ decision: Tenancy_V1.Decision) throws {
    guard !decision.allowed else { return }
    let isBlank =
      decision.sufficientRoles.isEmpty && decision.associationId.isEmpty && decision.role.isEmpty
      && decision.viaEntityId.isEmpty
    throw decision.reason == .entityUnknown && isBlank
      ? TenancyErrorOfTest.notFound : RPCError(.permissionDenied, "\(decision.reason)")
  }
}

/// What a check that must not tell is compared with.
enum TenancyErrorOfTest {
  static let notFound = RPCError(
    .notFound,
    reason: "NOT_FOUND",
    domain: "gatehouse.tenancy",
    message: "there is no such object"
  )
}
