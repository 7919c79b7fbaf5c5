import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import ServiceTesting

/// A portfolio with one of everything, and somebody in each role.
struct House: Sendable {
  let portfolio: String
  let property: String
  let unit: String
  let door: String
  /// In the property, outside any unit, and common to the unit.
  let gate: String
  /// In the property, outside any unit.
  let cellar: String
  let pass: String
  /// By code, to a role of tenants; empty until there is one.
  var invitation = ""

  let owner: Person
  let admin: Person
  let manager: Person
  let tenant: Person
  let guest: Person

  /// Builds one through the RPCs, each step by who may just do it.
  init(_ product: Product, name: String) async throws {
    owner = try await product.signUp("\(name).owner")
    admin = try await product.signUp("\(name).admin")
    manager = try await product.signUp("\(name).manager")
    tenant = try await product.signUp("\(name).tenant")
    guest = try await product.signUp("\(name).guest")
    portfolio = try await product.portfolios.create(
      .init(name: "Portfolio \(name)", administratorUserIds: [admin.id]),
      options: try await product.call(owner)
    ).id
    property = try await product.properties.create(
      .init(
        portfolioId: portfolio,
        name: "Property \(name)",
        address: .init(street: "1 Pier", city: "Harbour"),
        managerUserIds: [manager.id]
      ),
      options: try await product.call(admin)
    ).id
    let managing = try await product.call(manager)
    unit = try await product.units.create(
      .init(propertyId: property, name: "Unit \(name)", tenantUserIds: [tenant.id]),
      options: managing
    ).id
    var devices: [String] = []
    for device in ["Door", "Gate", "Cellar"] {
      devices.append(
        try await product.devices.register(
          .init(
            propertyId: property,
            unitId: device == "Door" ? unit : "",
            name: "\(device) \(name)",
            type: "lock"
          ),
          options: managing
        ).id
      )
    }
    (door, gate, cellar) = (devices[0], devices[1], devices[2])
    _ = try await product.units.update(
      .init(unitId: unit, commonAreaDevices: .init(deviceIds: [gate])),
      options: managing
    )
    pass = try await Self.lend(door, by: tenant, to: guest, product)
    _ = try await product.subscriptions.put(
      .init(subscription: .init(subject: .init(kind: .portfolio, id: portfolio), tier: "pro")),
      options: product.options(of: "billing", to: "entitlement")
    )
  }

  /// Invites somebody to the unit, who has not come yet.
  mutating func invite(_ product: Product) async throws {
    invitation =
      try await product.invitations.create(
        .init(entityId: unit, role: "tenant"),
        options: try await product.call(manager)
      ).invitation?.id ?? ""
  }

  /// A pass for two hours around now.
  static func lend(
    _ device: String,
    by tenant: Person,
    to guest: Person,
    _ product: Product
  ) async throws -> String {
    try await product.guests.grant(
      .init(
        userId: guest.id,
        deviceIds: [device],
        validFrom: .init(milliseconds: product.clock.now - 3_600_000),
        validUntil: .init(milliseconds: product.clock.now + 3_600_000)
      ),
      options: try await product.call(tenant)
    ).passes[0].id
  }
}
