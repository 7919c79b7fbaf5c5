import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Time zones of properties")
struct TimeZoneTests {
  private static func isName(_ text: String) -> Bool {
    do {
      try TimeZoneName.check(text, field: "zone")
      return true
    } catch {
      return false
    }
  }

  @Test("Every zone that Foundation knows by area and place is a name")
  func check_knownZones_areNames() {
    let names = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") }
    #expect(names.count > 300)
    for name in names + [
      "UTC", "GMT", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "US/Pacific",
    ] {
      #expect(Self.isName(name), "\(name)")
    }
  }

  @Test(
    "Abbreviations, offsets, paths and made-up areas are none",
    arguments: [
      "CEST", "+02:00", "Mars/Phobos", "europe/berlin", "Europe", "Europe/", "Europe//Berlin",
      "/Europe/Berlin", "Europe/../etc", "Europe/Berlin/Mitte/Tor", "Europe/Ber lin",
      "Europe/ABCDEFGHIJKLMNO", "Europe/1", "Europe/Zürich",
    ]
  )
  func check_others_areNone(name: String) {
    #expect(!Self.isName(name))
  }

  @Test("A property takes names only, when it is made and when it is changed")
  func property_withoutName_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let invalid = Refusal(.invalidArgument, "TIME_ZONE_INVALID")
      let create = { (zone: String) in
        try await refusal {
          try await stage.portfolios.createProperty(
            .init(portfolioId: home.portfolio, name: "New", defaultTimeZone: zone),
            options: .by(home.owner)
          )
        }
      }
      #expect(try await create("Berlin") == invalid)
      #expect(try await create("Europe/Berlin") == nil)
      let update = { (zone: String) in
        try await stage.properties.update(
          .init(propertyId: home.property, defaultTimeZone: zone),
          options: .by(home.manager)
        ).defaultTimeZone
      }
      #expect(try await refusal { try await update("GMT+2") } == invalid)
      #expect(try await update("Asia/Tokyo") == "Asia/Tokyo")
      #expect(try await update("") == "")
    }
  }
}
