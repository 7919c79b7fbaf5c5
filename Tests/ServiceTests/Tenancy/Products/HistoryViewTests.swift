import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("How much of a device's history a reader sees", .timeLimit(.minutes(5)))
struct HistoryViewTests {
  private static let hour: Int64 = 3_600_000
  private static let next = "usr_next"

  private func unlock(_ door: String, by user: String, _ stage: TenancyStage) async throws {
    stage.clock.advance(1)
    _ = try? await stage.devices.operate(
      .init(deviceId: door, operation: "unlock"),
      options: .by(user)
    )
  }

  /// Who acted, newest first, as a user is told in pages of one.
  private func actors(
    _ door: String,
    for user: String,
    _ stage: TenancyStage
  ) async throws -> [String] {
    var (users, token): ([String], String) = ([], "")
    repeat {
      let page = try await stage.devices.listHistory(
        .init(deviceId: door, pageSize: 1, pageToken: token),
        options: .by(user)
      )
      users += page.records.map(\.userId)
      token = page.nextPageToken
    } while !token.isEmpty
    return users
  }

  private func addTenant(
    _ user: String,
    from: Int64? = nil,
    until: Int64? = nil,
    replacing: Bool = false,
    to unit: String,
    by manager: String,
    _ stage: TenancyStage
  ) async throws {
    _ = try await stage.units.addTenant(
      .init(
        unitId: unit,
        userId: user,
        validFrom: from.map { .init(milliseconds: $0) },
        validUntil: until.map { .init(milliseconds: $0) },
        replaceWindow: replacing
      ),
      options: .by(manager)
    )
  }

  @Test("A new tenant sees what was done since its own role began, and what it did itself")
  func newTenant_history_beginsWithItsRole() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await unlock(home.door, by: home.tenant, stage)
      try await unlock(home.door, by: home.guest, stage)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      let begin = stage.clock.now + Self.hour
      try await addTenant(Self.next, from: begin, to: home.unit, by: home.manager, stage)
      // Refused, as its time has not come.
      try await unlock(home.door, by: Self.next, stage)
      try await unlock(home.door, by: home.manager, stage)
      let early = try await refusal { _ = try await actors(home.door, for: Self.next, stage) }
      #expect(early == Refusal(.permissionDenied, "NOT_YET_VALID"))
      stage.clock.advance(Self.hour)
      #expect(try await actors(home.door, for: Self.next, stage) == [Self.next])
      try await unlock(home.door, by: home.manager, stage)
      try await unlock(home.door, by: Self.next, stage)
      #expect(
        try await actors(home.door, for: Self.next, stage) == [Self.next, home.manager, Self.next]
      )
      // What the reader did before comes after the rest, and before it in the other order.
      for reader in [Self.next, home.manager] {
        try await ListProbe.check("-time", "time") { sortBy, size, page, token in
          let page = try await stage.devices.listHistory(
            .init(
              deviceId: home.door,
              pageSize: size,
              pageToken: token,
              page: page,
              sortBy: sortBy
            ),
            options: .by(reader)
          )
          return (
            page.records.map { "\($0.time?.milliseconds ?? 0) \($0.userId)" }, page.nextPageToken
          )
        }
      }
      // Managers and owners see all.
      let all = [Self.next, home.manager, home.manager, Self.next, home.guest, home.tenant]
      for user in [home.manager, home.admin, home.owner] {
        #expect(try await actors(home.door, for: user, stage) == all, "\(user)")
      }
      // A time that is asked for shows no more.
      let asked = try await stage.devices.listHistory(
        .init(deviceId: home.door, until: .init(milliseconds: begin)),
        options: .by(Self.next)
      ).records
      #expect(asked.map(\.userId) == [Self.next])
    }
  }

  @Test("A role that follows another one without a gap continues it; after a gap it begins anew")
  func tenant_roleChain_decidesWhere() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      try await unlock(home.door, by: home.manager, stage)
      let end = stage.clock.now + 2 * Self.hour
      for until in [end, nil] as [Int64?] {
        stage.clock.advance(Self.hour)
        try await addTenant(
          home.tenant,
          until: until,
          replacing: true,
          to: home.unit,
          by: home.manager,
          stage
        )
      }
      #expect(try await actors(home.door, for: home.tenant, stage).count == 1)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      stage.clock.advance(1)
      try await addTenant(home.tenant, to: home.unit, by: home.manager, stage)
      #expect(try await actors(home.door, for: home.tenant, stage).isEmpty)
    }
  }

  @Test("What was done with a device elsewhere, and before it was deleted, is another one's")
  func device_movedAndDeleted_showsItsTimeHere() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let other = try await stage.units.create(
        .init(propertyId: home.property, name: "Other", tenantUserIds: [Self.next]),
        options: .by(home.manager)
      ).id
      try await unlock(home.door, by: home.tenant, stage)
      stage.clock.advance(1)
      _ = try await stage.units.assignDevice(
        .init(unitId: other, deviceId: home.door, take: true),
        options: .by(home.manager)
      )
      #expect(try await actors(home.door, for: Self.next, stage).isEmpty)
      try await unlock(home.door, by: Self.next, stage)
      #expect(try await actors(home.door, for: Self.next, stage) == [Self.next])
      // Back, and again somebody else's.
      stage.clock.advance(1)
      _ = try await stage.units.assignDevice(
        .init(unitId: home.unit, deviceId: home.door, take: true),
        options: .by(home.manager)
      )
      #expect(try await actors(home.door, for: home.tenant, stage) == [home.tenant])
      try await unlock(home.door, by: home.manager, stage)
      stage.clock.advance(1)
      _ = try await stage.devices.delete(.init(deviceId: home.door), options: .by(home.manager))
      #expect(try await actors(home.door, for: home.tenant, stage) == [home.manager, home.tenant])
      try await addTenant("usr_late", to: home.unit, by: home.manager, stage)
      #expect(try await actors(home.door, for: "usr_late", stage).isEmpty)
      #expect(try await actors(home.door, for: home.owner, stage).count == 3)
    }
  }

  @Test("Chains of times are followed to where they begin")
  func chain_ofSpans_isFollowed() {
    for (spans, beginning) in [
      ([], 100), ([50..<100], 50), ([50..<99], 100), ([90..<200, 10..<90], 10),
      ([10..<90, 90..<200, 0..<5], 10), ([10..<89, 90..<200], 90), ([0..<300, 50..<60], 0),
      ([80..<150, 40..<85, 20..<30], 40), ([101..<200], 100), ([95..<400, 50..<300, 0..<40], 50),
    ] as [([Range<Int64>], Int64)] {
      #expect(HistoryView.chainBeginning(of: spans, now: 100) == beginning, "\(spans)")
    }
  }
}
