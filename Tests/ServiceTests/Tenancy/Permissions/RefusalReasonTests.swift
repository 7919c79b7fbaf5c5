import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Each reason that TenancyService gives has a call that gets it; most are in the tests of what they
/// protect, and the others are here.
@Suite("Reasons of refusals")
struct RefusalReasonTests {
  private static let hour: Int64 = 3_600_000

  private static func time(_ hours: Int64) -> Google_Protobuf.Timestamp {
    .init(milliseconds: TenancyStage.start + hours * hour)
  }

  private static func text(_ value: String) -> Google_Protobuf.Value {
    var wire = Google_Protobuf.Value()
    wire.kind = .stringValue(value)
    return wire
  }

  @Test("A window ends after it begins, lasts no longer than allowed, nor than the lender's own")
  func windows_outsideOfBounds_areRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let lend = { (lender: String, from: Int64, until: Int64) in
        try await refusal {
          try await stage.guests.grant(
            .init(
              userId: "usr_visitor",
              deviceIds: [home.door],
              validFrom: Self.time(from),
              validUntil: Self.time(until)
            ),
            options: .by(lender)
          )
        }
      }
      let invalid = Refusal(.invalidArgument, "WINDOW_INVALID")
      #expect(try await lend(home.tenant, 2, 2) == invalid)
      #expect(try await lend(home.tenant, -2, 0) == invalid)
      #expect(try await lend(home.tenant, -2, 1) == nil)
      let days: Int64 = 366 * 24
      #expect(try await lend(home.manager, 0, days) == nil)
      #expect(
        try await lend(home.manager, 0, days + 1) == Refusal(.invalidArgument, "WINDOW_TOO_LONG")
      )
      let moved = try await refusal {
        try await stage.guests.update(
          .init(passId: home.pass, validUntil: Self.time(-1)),
          options: .by(home.tenant)
        )
      }
      #expect(moved == invalid)

      let rent = { (until: Int64) in
        try await refusal {
          try await stage.units.addTenant(
            .init(unitId: home.unit, userId: "usr_lodger", validUntil: Self.time(until)),
            options: .by(home.manager)
          )
        }
      }
      #expect(try await rent(0) == invalid)
      #expect(try await rent(5) == nil)
      #expect(try await lend("usr_lodger", 0, 5) == nil)
      let exceeding = Refusal(.failedPrecondition, "WINDOW_EXCEEDS_OWN")
      #expect(try await lend("usr_lodger", 0, 6) == exceeding)
    }
  }

  @Test("What a request says wrongly is refused by the name of the mistake")
  func requests_wrongInThemselves_areRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      func register(
        _ type: String,
        _ attributes: [String: Google_Protobuf.Value]
      ) async throws -> Refusal? {
        try await refusal {
          try await stage.devices.register(
            .init(
              propertyId: home.property,
              name: "New",
              type: type,
              attributes: .init(fields: attributes)
            ),
            options: manager
          )
        }
      }
      #expect(try await register("toaster", [:]) == Refusal(.invalidArgument, "TYPE_UNKNOWN"))
      let long = ["note": Self.text(String(repeating: "x", count: 17 << 10))]
      #expect(
        try await register("lock", long) == Refusal(.invalidArgument, "ATTRIBUTES_TOO_LARGE")
      )
      #expect(
        try await register("lock", ["battery": Self.text("full")])
          == Refusal(.invalidArgument, "ATTRIBUTE_INVALID")
      )

      let unknown = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "explode"),
          options: manager
        )
      }
      #expect(unknown == Refusal(.invalidArgument, "OPERATION_UNKNOWN"))
      let parameters = try await refusal {
        try await stage.devices.operate(
          .init(
            deviceId: home.door,
            operation: "unlock",
            parameters: .init(fields: ["firmware": Self.text("2")])
          ),
          options: manager
        )
      }
      #expect(parameters == Refusal(.invalidArgument, "PARAMETERS_INVALID"))
      let action = try await refusal {
        try await stage.permissions.check(
          .init(action: "device.explode", entityId: home.door),
          options: manager
        )
      }
      #expect(action == Refusal(.invalidArgument, "ACTION_UNKNOWN"))
      let role = try await refusal {
        try await stage.portfolios.addAdmin(
          .init(portfolioId: home.portfolio, userId: "usr_a", role: "tenant"),
          options: .by(home.owner)
        )
      }
      #expect(role == Refusal(.invalidArgument, "ROLE_INVALID"))
      let time = try await refusal {
        try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [home.door],
            validUntil: .init(seconds: 253_402_300_800)
          ),
          options: manager
        )
      }
      #expect(time == Refusal(.invalidArgument, "TIMESTAMP_INVALID"))
      let filter = try await refusal {
        try await stage.units.listDevices(.init(), options: manager)
      }
      #expect(filter == Refusal(.invalidArgument, "REQUIRED"))
    }
  }

  @Test("Users ask about themselves, and wait for no revision that there is not")
  func questions_aboutOthers_areRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await refusal {
        try await stage.associations.listByUser(
          .init(userId: home.tenant),
          options: .by(home.owner)
        )
      }
      #expect(other == Refusal(.permissionDenied, "NOT_SELF"))
      let future = stage.service.core.tokens.token(revision: 1 << 40)
      let early = try await refusal {
        try await stage.devices.get(
          .init(deviceId: home.door, atLeastRevision: future),
          options: .by(home.owner)
        )
      }
      #expect(early == Refusal(.unavailable, "REVISION_NOT_REACHED"))
    }
  }

  @Test("A device is assigned to units of its own property only")
  func device_ofAnotherProperty_isNotAssigned() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await stage.properties.create(
        .init(portfolioId: home.portfolio, name: "Other"),
        options: .by(home.owner)
      ).id
      let unit = try await stage.units.create(
        .init(propertyId: other, name: "Other"),
        options: .by(home.owner)
      ).id
      let refused = try await refusal {
        try await stage.units.assignDevice(
          .init(unitId: unit, deviceId: home.door),
          options: .by(home.owner)
        )
      }
      #expect(refused == Refusal(.failedPrecondition, "NOT_SAME_PROPERTY"))
    }
  }

  @Test("Without self-service only administrators make portfolios")
  func portfolio_withoutSelfService_isRefused() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let policy = text.replacing(#""enabled": true"#, with: #""enabled": false"#)
    try #require(policy != text)
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let refused = try await refusal {
        try await stage.portfolios.create(.init(name: "p"), options: .by("usr_a"))
      }
      #expect(refused == Refusal(.permissionDenied, "SELF_SERVICE_DISABLED"))
    }
  }

  // MARK: - All of them

  /// Swift files below a folder of the package, as one text.
  private static func text(of folder: String) throws -> String {
    var root = URL(filePath: #filePath)
    while !FileManager.default.fileExists(atPath: root.appending(path: "Package.swift").path()) {
      root.deleteLastPathComponent()
    }
    let files = try #require(
      FileManager.default.enumerator(
        at: root.appending(path: folder),
        includingPropertiesForKeys: nil
      )
    )
    var text = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      text += String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
    return text
  }

  @Test("Every reason in the service's source is named by some test")
  func reasons_inSource_haveTests() throws {
    let folders = ["Sources/TenancyService", "Sources/AccessEngine"]
    let source = try folders.map { try Self.text(of: $0) }.joined()
    let tests = try Self.text(of: "Tests/ServiceTests")
    var reasons: Set<String> = []
    // Upper case with an underscore is nothing else in this service.
    for match in source.matches(of: /"([A-Z]+(?:_[A-Z]+)+)"/) { reasons.insert(String(match.1)) }
    #expect(reasons.isSuperset(of: ["NOT_FOUND", "WINDOW_EXCEEDS_OWN", "HAS_DEPENDENTS"]))
    for reason in reasons.sorted() {
      // Not inside of the expectation, which would print all tests.
      let isNamed = tests.contains(#""\#(reason)""#)
      #expect(isNamed, "no test names \(reason)")
    }
  }
}
