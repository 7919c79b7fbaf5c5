import Contracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("The authorization matrix")
struct AuthorizationMatrixTests {
  private static let unknown = MatrixObjects(
    portfolio: "prt_unknown",
    property: "prp_unknown",
    unit: "unt_unknown",
    door: "dev_unknown",
    cellar: "dev_unknown",
    pass: "asc_unknown"
  )

  private static func objects(_ building: Building) -> MatrixObjects {
    MatrixObjects(
      portfolio: building.portfolio,
      property: building.property,
      unit: building.unit,
      door: building.door,
      cellar: building.cellar,
      pass: building.pass
    )
  }

  @Test("Every method of every service has a row, and no row is left over")
  func rows_coverEveryMethod() async throws {
    try await TenancyStage.run { stage in
      let methods = stage.service.services.flatMap { service in
        service.methods.map {
          "\(service.name.split(separator: ".").last ?? "")/\($0.descriptor.method)"
        }
      }
      #expect(Set(methods) == Set(MatrixRow.rows.keys))
    }
  }

  @Test("Each role may do exactly what it may; foreign, deleted and unknown objects answer alike")
  func matrix_holds() async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      let deleted = try await Building(stage, name: "deleted")
      _ = try await stage.portfolios.delete(
        .init(portfolioId: deleted.portfolio, cascade: true, deleteDevices: true),
        options: .by(deleted.owner)
      )
      for (name, row) in MatrixRow.rows.sorted(by: { $0.key < $1.key }) where row.object != .service
      {
        for role in MatrixRole.allCases {
          // Guests' passes end with these two; they have tests of their own.
          if name == "Guests/Revoke" { continue }
          let user = CallOptions.by(role.user(of: home))
          let cell = "\(name) by \(role)"
          let own = try await outcome(row, stage, Self.objects(home), user)
          let expected: StatusCode? =
            row.allowed.contains(role)
            ? nil : row.object.knowing.contains(role) ? .permissionDenied : .notFound
          #expect(own?.code == expected, "\(cell), own: \(String(describing: own))")
          guard row.object != .none else { continue }
          let missing = try await outcome(row, stage, Self.unknown, user)
          #expect(missing?.code == .notFound, "\(cell), unknown")
          let gone = try await outcome(row, stage, Self.objects(deleted), user)
          #expect(gone == missing, "\(cell), deleted")
          // What may be known of is known to super_admin everywhere.
          guard role != .superAdmin else { continue }
          let foreign = try await outcome(row, stage, Self.objects(other), user)
          #expect(foreign == missing, "\(cell), foreign")
          if expected == .notFound { #expect(own == missing, "\(cell), own but not to be known") }
        }
      }
    }
  }

  @Test("A list of one tenant never shows anything of another")
  func lists_showNothingForeign() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      for role in MatrixRole.allCases where role != .superAdmin {
        let options = CallOptions.by(role.user(of: home))
        var ids = try await stage.portfolios.list(.init(), options: options).portfolios.map(\.id)
        ids += try await stage.properties.list(.init(), options: options).properties.map(\.id)
        ids += try await stage.units.list(.init(), options: options).units.map(\.id)
        ids += try await stage.devices.list(.init(), options: options).devices.map(\.id)
        ids += try await stage.guests.list(.init(), options: options).passes.map(\.id)
        let foreign = [
          other.portfolio, other.property, other.unit, other.door, other.gate, other.cellar,
          other.pass,
        ]
        #expect(Set(ids).isDisjoint(with: foreign), "\(role)")
      }
    }
  }

  @Test("A pass that is unknown, foreign or gone is no error to revoke, and nothing happens to it")
  func revoke_unknownAndForeign_alike() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      let options = CallOptions.by(other.tenant)
      let unknown = try await stage.guests.revoke(.init(passId: "asc_unknown"), options: options)
      let foreign = try await stage.guests.revoke(.init(passId: home.pass), options: options)
      #expect(unknown == foreign)
      #expect(foreign.removed == 0)
      let own = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.guest))
      #expect(own.removed == 1)
      let again = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.guest))
      #expect(again.removed == 0)
    }
  }

  /// Everything that a caller sees of a refusal; nil when there was none.
  private struct Outcome: Hashable {
    let code: StatusCode
    let message: String
    let details: [RPCError.Detail]
  }

  private func outcome(
    _ row: MatrixRow,
    _ stage: TenancyStage,
    _ objects: MatrixObjects,
    _ options: CallOptions
  ) async throws -> Outcome? {
    do {
      try await row.call(stage, objects, options)
      return nil
    } catch let error as RPCError {
      return Outcome(code: error.code, message: error.message, details: error.details)
    }
  }
}
