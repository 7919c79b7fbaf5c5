import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// Roles whose time is over or has not come are not taken for roles that somebody has.
@Suite("Roles that are in force")
struct InForceTests {
  private static let hour: Int64 = 3_600_000

  private static func time(_ hours: Int64) -> Google_Protobuf.Timestamp {
    .init(milliseconds: TenancyStage.start + hours * hour)
  }

  private static let everybody = ["usr_former", "usr_present", "usr_edge", "usr_future"]
  private static let present = ["usr_present", "usr_edge"]

  /// A building whose tenant has left, with a former, two present and a future tenant; it is two o'clock.
  private func furnish(_ stage: TenancyStage) async throws -> Building {
    let home = try await Building(stage, name: "home")
    _ = try await stage.units.removeTenant(
      .init(unitId: home.unit, userId: home.tenant),
      options: .by(home.manager)
    )
    // From the first instant of a window until just before its last.
    let windows: [(Int64?, Int64?)] = [(nil, 2), (nil, nil), (2, 3), (3, 4)]
    for (user, window) in zip(Self.everybody, windows) {
      _ = try await stage.units.addTenant(
        .init(
          unitId: home.unit,
          userId: user,
          validFrom: window.0.map(Self.time),
          validUntil: window.1.map(Self.time)
        ),
        options: .by(home.manager)
      )
    }
    stage.clock.advance(2 * Self.hour)
    return home
  }

  @Test("Tenants are listed with their windows, all of them or those of the moment, page by page")
  func listTenants_inForce() async throws {
    try await TenancyStage.run { stage in
      let home = try await furnish(stage)
      let list = { (inForce: Bool, token: String) in
        try await stage.units.listTenants(
          .init(unitId: home.unit, pageSize: 1, pageToken: token, inForce: inForce),
          options: .by(home.manager)
        )
      }
      for (inForce, users) in [(false, Self.everybody), (true, Self.present)] {
        var token = ""
        var listed: [String] = []
        repeat {
          let page = try await list(inForce, token)
          #expect(page.associations.map(\.userId) == page.tenants.map(\.id))
          listed += page.tenants.map(\.id)
          token = page.nextPageToken
        } while !token.isEmpty
        #expect(listed == users)
      }
      // A token of the one list is none of the other.
      let token = try await list(false, "").nextPageToken
      let foreign = try await refusal { try await list(true, token) }
      #expect(foreign == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
      let future = try #require(
        try await stage.units.listTenants(.init(unitId: home.unit), options: .by(home.manager))
          .associations.last
      )
      #expect(future.validFrom == Self.time(3) && future.validUntil == Self.time(4))
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(unit.tenantUserIds == Self.present)
    }
  }

  @Test("Lists of associations leave out what is over or has not begun when asked to")
  func associations_inForce() async throws {
    try await TenancyStage.run { stage in
      let home = try await furnish(stage)
      for (inForce, users) in [(false, Self.everybody), (true, Self.present)] {
        let onUnit = try await stage.associations.listByEntity(
          .init(entityId: home.unit, role: "tenant", inForce: inForce),
          options: .by(home.manager)
        )
        #expect(onUnit.associations.map(\.userId) == users)
        for user in Self.everybody {
          let own = try await stage.associations.listByUser(
            .init(inForce: inForce),
            options: .by(user)
          )
          #expect(own.associations.count == (users.contains(user) ? 1 : 0), "\(user) \(inForce)")
        }
      }
    }
  }

  @Test("Guest passes are listed without those to come and those that are over")
  func passes_inForce() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      var ids: [String] = [home.pass]
      for (from, until) in [(0, 3), (2, 3), (3, 4)] as [(Int64, Int64)] {
        // Of one millisecond, identifiers are in no order.
        stage.clock.advance(1)
        ids += try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [home.door],
            validFrom: Self.time(from),
            validUntil: Self.time(until)
          ),
          options: .by(home.manager)
        ).passes.map(\.id)
      }
      stage.clock.advance(2 * Self.hour)
      let list = { (includeEnded: Bool, inForce: Bool) in
        try await stage.guests.list(
          .init(includeEnded: includeEnded, inForce: inForce),
          options: .by(home.tenant)
        ).passes.map(\.id)
      }
      #expect(try await list(true, false) == ids)
      #expect(try await list(false, false) == Array(ids[1...]))
      #expect(try await list(true, true) == Array(ids[1...2]))
      #expect(try await list(false, true) == Array(ids[1...2]))
    }
  }
}
