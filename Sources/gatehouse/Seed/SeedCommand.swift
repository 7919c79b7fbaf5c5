internal import CommandLineTool
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension Command {
  /// `gatehouse seed`: something to play with, owned by the signed-in user or by people of its own.
  static let seed = Command(
    name: "seed",
    arguments: "[--product \(SeedProduct.allCases.map(\.rawValue).joined(separator: "|"))]",
    words: "",
    summary: "create something to play with: a portfolio, or a world of a product",
    details: """
      Creates a portfolio with a property, two units, and devices in them and at the front door, all
      owned by the signed-in user, and prints them.

      With --product, creates the accounts of several people and what they use a product for, and
      prints who can sign in and what to try. All get the password that it asks for, or
      GATEHOUSE_PASSWORD. What is there already stays, so another run creates nothing. TenancyService
      needs the product's policy.

        gatehouse seed --product stables
      """,
    formats: OutputFormat.allCases,
    options: ["--product"]
  ) { context, _ in
    if let product = context.options.product {
      var seeder = Seeder(product.world, context)
      return try await seeder.run()
    }
    try await context.signedIn(to: "tenancy") { channel, options in
      try await Seeding(channel: channel, options: options, context: context).run()
    }
  }
}

/// The steps of seeding; each prints what it made as soon as it is there.
private struct Seeding {
  let channel: Channel
  let options: CallOptions
  let context: CommandContext

  func run() async throws {
    let portfolio = try await Tenancy_V1.PortfoliosClient(channel).create(
      Tenancy_V1.CreatePortfolioRequest(name: "Demo portfolio"),
      options: options
    )
    try say("portfolio", portfolio.id, portfolio.name)
    let property = try await Tenancy_V1.PropertiesClient(channel).create(
      Tenancy_V1.CreatePropertyRequest(
        portfolioId: portfolio.id,
        name: "Harbour House",
        address: Tenancy_V1.PropertyAddress(
          street: "1 Harbour Street",
          city: "Springfield",
          country: "US"
        ),
        defaultTimeZone: "America/Chicago"
      ),
      options: options
    )
    try say("property", property.id, property.name)
    let entrance = try await device("Front door", "lock", in: property.id)
    for number in 1...2 {
      let unit = try await Tenancy_V1.UnitsClient(channel).create(
        Tenancy_V1.CreateUnitRequest(
          propertyId: property.id,
          name: "Apartment \(number)",
          commonAreaDeviceIds: [entrance.id]
        ),
        options: options
      )
      try say("unit", unit.id, unit.name)
      try await device("Door of apartment \(number)", "lock", in: property.id, unit: unit.id)
      try await device("Thermostat \(number)", "thermostat", in: property.id, unit: unit.id)
    }
  }

  @discardableResult
  private func device(
    _ name: String,
    _ type: String,
    in property: String,
    unit: String = ""
  ) async throws -> Tenancy_V1.Device {
    let device = try await Tenancy_V1.DevicesClient(channel).register(
      Tenancy_V1.RegisterDeviceRequest(
        propertyId: property,
        unitId: unit,
        name: name,
        type: type
      ),
      options: options
    )
    try say("device", device.id, device.name)
    return device
  }

  private func say(_ kind: String, _ id: String, _ name: String) throws {
    let padding = String(repeating: " ", count: max(0, 9 - kind.count))
    try context.show(
      [["type": .string(kind), "id": .string(id), "name": .string(name)]],
      table: ["\(kind)\(padding)  \(id)  \(FailureText.printable(name))"]
    )
  }
}
