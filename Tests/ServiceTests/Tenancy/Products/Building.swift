import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

/// A portfolio with one of everything, and someone in each role.
struct Building: Sendable {
  let portfolio: String
  let property: String
  let unit: String
  let door: String
  /// In the property, outside any unit, and common to the unit.
  let gate: String
  /// In the property, outside any unit.
  let cellar: String
  let pass: String
  let name: String

  var owner: String { "usr_\(name)_owner" }
  var admin: String { "usr_\(name)_admin" }
  var manager: String { "usr_\(name)_manager" }
  var tenant: String { "usr_\(name)_tenant" }
  var guest: String { "usr_\(name)_guest" }

  /// Sets an attribute of the door: the device reports whether it is online, and the manager does the rest.
  func set(_ name: String, _ value: Bool, _ stage: TenancyStage) async throws {
    let attributes = Google_Protobuf.Struct(fields: [name: .init(kind: .boolValue(value))])
    if name == "online" {
      _ = try await stage.devices.reportState(
        .init(deviceId: door, attributes: attributes),
        options: .byService("bridge")
      )
    } else {
      _ = try await stage.devices.update(
        .init(deviceId: door, attributes: attributes),
        options: .by(manager)
      )
    }
  }

  /// Builds one through the RPCs, each step by who may just do it.
  init(_ stage: TenancyStage, name: String) async throws {
    self.name = name
    let (owner, admin) = ("usr_\(name)_owner", "usr_\(name)_admin")
    let manager = CallOptions.by("usr_\(name)_manager")
    portfolio = try await stage.portfolios.create(
      .init(name: "Portfolio \(name)", administratorUserIds: [admin]),
      options: .by(owner)
    ).id
    property = try await stage.properties.create(
      .init(
        portfolioId: portfolio,
        name: "Property \(name)",
        address: .init(street: "1 Pier", city: "Harbour"),
        managerUserIds: ["usr_\(name)_manager"]
      ),
      options: .by(admin)
    ).id
    unit = try await stage.units.create(
      .init(propertyId: property, name: "Unit \(name)", tenantUserIds: ["usr_\(name)_tenant"]),
      options: manager
    ).id
    var devices: [String] = []
    for device in ["Door", "Gate", "Cellar"] {
      devices.append(
        try await stage.devices.register(
          .init(
            propertyId: property,
            unitId: device == "Door" ? unit : "",
            name: "\(device) \(name)",
            type: "lock"
          ),
          options: manager
        ).id
      )
    }
    (door, gate, cellar) = (devices[0], devices[1], devices[2])
    _ = try await stage.units.update(
      .init(unitId: unit, commonAreaDevices: .init(deviceIds: [gate])),
      options: manager
    )
    pass = try await stage.guests.grant(
      .init(
        userId: "usr_\(name)_guest",
        deviceIds: [door],
        validFrom: .init(milliseconds: TenancyStage.start - 3_600_000),
        validUntil: .init(milliseconds: TenancyStage.start + 3_600_000)
      ),
      options: .by("usr_\(name)_tenant")
    ).passes[0].id
  }
}
