import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit

/// A flat, who owns it, who rents it, and somebody who has nothing to do with it.
struct Flat: Sendable {
  let owner: Person
  let tenant: Person
  let stranger: Person
  let unit: String

  init(in home: Installation) async throws {
    owner = try await home.signUp("ada")
    tenant = try await home.signUp("tom")
    stranger = try await home.signUp("mallory")
    let portfolio = try await home.portfolios.create(
      .init(name: "Harbour Homes"),
      options: owner.call
    ).id
    let property = try await home.portfolios.createProperty(
      .init(portfolioId: portfolio, name: "Pier 4"),
      options: owner.call
    ).id
    unit = try await home.properties.createUnit(
      .init(propertyId: property, name: "Flat 1"),
      options: owner.call
    ).id
    _ = try await home.units.addTenant(
      .init(unitId: unit, userId: tenant.id),
      options: owner.call
    )
  }
}
