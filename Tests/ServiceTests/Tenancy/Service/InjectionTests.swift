import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Text that looks like something else")
struct InjectionTests {
  /// SQL, its patterns, JSON, and letters that are easily mangled.
  private static let names = [
    "'; DROP TABLE entity; --", "\" OR \"1\"=\"1", "100%", "under_score", "back\\slash", "?1 :a $b",
    #"{"a": "b\u0000"}"#, #"\u0022,"role":"owner"#, "e\u{301} é", "🐎", "<script>alert(1)</script>",
    "$(reboot) `id` %s %n",
  ]
  /// Lines of a log, and characters that nobody should see in a name.
  private static let refusedNames = [
    "line\nbreak", "carriage\r\n{\"level\":\"error\"}", "tab\tand \u{1B}[31mred", "a\u{0}b",
    "\u{202E}drawkcab", "\u{FEFF}mark",
  ]
  private static let canaries = names + refusedNames

  @Test(
    "What nobody should see in a name is refused wherever there is one",
    arguments: refusedNames
  )
  func names_withControls_areRefused(_ name: String) async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      let answers = [
        try await refusal { try await stage.portfolios.create(.init(name: name), options: owner) },
        try await refusal {
          try await stage.properties.create(
            .init(portfolioId: home.portfolio, name: "p", address: .init(street: name)),
            options: owner
          )
        },
        try await refusal {
          try await stage.units.update(.init(unitId: home.unit, name: name), options: owner)
        },
        try await refusal {
          try await stage.devices.register(
            .init(propertyId: home.property, name: name, type: "lock"),
            options: owner
          )
        },
      ]
      for answer in answers { #expect(answer?.code == .invalidArgument) }
    }
  }

  @Test("Names, addresses and attributes come back as they went in, made and changed")
  func texts_ofEveryKind_roundTrip() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      for canary in Self.names {
        let portfolio = try await stage.portfolios.create(.init(name: canary), options: owner)
        let property = try await stage.properties.create(
          .init(
            portfolioId: portfolio.id,
            name: canary,
            address: .init(street: canary, city: canary, state: canary, country: canary)
          ),
          options: owner
        )
        let unit = try await stage.units.create(
          .init(propertyId: property.id, name: canary),
          options: owner
        )
        let device = try await stage.devices.register(
          .init(propertyId: property.id, name: canary, type: "lock"),
          options: owner
        )
        let made = [
          portfolio.name, property.name, property.address?.street, property.address?.city,
          property.address?.state, property.address?.country, unit.name, device.name,
        ]
        expect(made, canary)
        try await expectStored(stage, portfolio.id, property.id, unit.id, device.id, canary, owner)
        // As a change of something that had another name, and back again.
        _ = try await stage.devices.update(
          .init(deviceId: home.door, name: canary),
          options: owner
        )
        _ = try await stage.units.update(.init(unitId: home.unit, name: canary), options: owner)
        _ = try await stage.properties.update(
          .init(propertyId: home.property, name: canary),
          options: owner
        )
        _ = try await stage.portfolios.update(
          .init(portfolioId: home.portfolio, name: canary),
          options: owner
        )
        try await expectStored(
          stage,
          home.portfolio,
          home.property,
          home.unit,
          home.door,
          canary,
          owner
        )
      }
      // Each text finds its own, among all of them, and a pattern is a text like others.
      for canary in Self.names {
        let found = try await stage.devices.list(.init(text: canary), options: owner).devices
        #expect(found.contains { Array($0.name.utf8) == Array(canary.utf8) }, "\(canary)")
        #expect(found.count <= 3, "\(canary) finds \(found.map(\.name))")
      }
      for pattern in ["%", "_", "a%b", "*"] {
        let found = try await stage.devices.list(.init(text: pattern), options: owner).devices
        #expect(found.allSatisfy { $0.name.contains(pattern) }, "\(pattern)")
      }
    }
  }

  private func expectStored(
    _ stage: TenancyStage,
    _ portfolio: String,
    _ property: String,
    _ unit: String,
    _ device: String,
    _ canary: String,
    _ owner: CallOptions
  ) async throws {
    let names = [
      try await stage.portfolios.get(.init(portfolioId: portfolio), options: owner).name,
      try await stage.properties.get(.init(propertyId: property), options: owner).name,
      try await stage.units.get(.init(unitId: unit), options: owner).name,
      try await stage.devices.get(.init(deviceId: device), options: owner).name,
    ]
    expect(names, canary)
  }

  /// Byte for byte: equal strings may differ in their bytes.
  private func expect(_ texts: [String?], _ canary: String) {
    #expect(texts.allSatisfy { $0.map { Array($0.utf8) } == Array(canary.utf8) }, "\(canary)")
  }

  @Test("Identifiers that look like something else name nothing")
  func identifiers_ofEveryKind_nameNothing() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      for canary in Self.canaries {
        let answers = [
          try await refusal {
            try await stage.portfolios.get(.init(portfolioId: canary), options: owner)
          },
          try await refusal {
            try await stage.devices.operate(
              .init(deviceId: canary, operation: "unlock"),
              options: owner
            )
          },
          try await refusal {
            try await stage.portfolios.delete(
              .init(portfolioId: canary, cascade: true),
              options: owner
            )
          },
        ]
        for answer in answers {
          let isRefused = answer?.code == .notFound || answer?.code == .invalidArgument
          #expect(isRefused, "\(canary): \(String(describing: answer))")
        }
        let operation = try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: canary),
            options: owner
          )
        }
        #expect(operation?.code == .invalidArgument, "\(canary): \(String(describing: operation))")
      }
      let devices = try await stage.devices.list(.init(), options: owner).devices
      #expect(devices.count == 3)
    }
  }
}
