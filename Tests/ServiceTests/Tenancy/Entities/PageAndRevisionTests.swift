import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Pages, revisions and watches")
struct PageAndRevisionTests {
  @Test("Pages together are the whole list, once each, in order, and say how much there is")
  func pages_areComplete() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for number in 0..<23 {
        _ = try await stage.devices.register(
          .init(propertyId: home.property, name: "Lamp \(number % 7)", type: "light"),
          options: .by(home.manager)
        )
      }
      for sort in ["name", "created_at", ""] {
        var request = Tenancy_V1.ListDevicesRequest(text: "lAmP", pageSize: 5, sortBy: sort)
        var found: [Tenancy_V1.Device] = []
        repeat {
          let page = try await stage.devices.list(request, options: .by(home.owner))
          #expect(page.totalSize == 23)
          found += page.devices
          request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        #expect(Set(found.map(\.id)).count == 23)
        #expect(found.count == 23)
        if sort != "created_at" { #expect(found.map(\.name) == found.map(\.name).sorted()) }
      }
    }
  }

  @Test("A page token is of use to nobody else, and for no other question")
  func pageToken_elsewhere_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let token = try await stage.devices.list(
        .init(pageSize: 1),
        options: .by(home.owner)
      ).nextPageToken
      #expect(!token.isEmpty)
      let invalid = Refusal(.invalidArgument, "PAGE_TOKEN_INVALID")
      let byOther = try await refusal {
        try await stage.devices.list(
          .init(pageSize: 1, pageToken: token),
          options: .by(home.manager)
        )
      }
      #expect(byOther == invalid)
      let otherFilter = try await refusal {
        try await stage.devices.list(
          .init(propertyId: home.property, pageSize: 1, pageToken: token),
          options: .by(home.owner)
        )
      }
      #expect(otherFilter == invalid)
      let changed = (token.first == "A" ? "B" : "A") + token.dropFirst()
      let forged = try await refusal {
        try await stage.devices.list(
          .init(pageSize: 1, pageToken: changed),
          options: .by(home.owner)
        )
      }
      #expect(forged == invalid)
    }
  }

  @Test("A check after an acknowledged write sees it; a made-up revision is refused")
  func check_afterWrite_seesIt() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for round in 0..<50 {
        let user = "usr_tenant\(round)"
        _ = try await stage.units.addTenant(
          .init(unitId: home.unit, userId: user),
          options: .by(home.manager)
        )
        let check = Tenancy_V1.CheckRequest(
          subjectId: user,
          action: "unit.view",
          entityId: home.unit
        )
        let service = CallOptions.byService("auth")
        let before = try await stage.permissions.check(check, options: service)
        #expect(before.allowed)
        let removed = try await stage.units.removeTenant(
          .init(unitId: home.unit, userId: user),
          options: .by(home.manager)
        )
        var later = check
        later.atLeastRevision = removed.revision
        let after = try await stage.permissions.check(later, options: service)
        #expect(!after.allowed)
      }
      let made = try await refusal {
        try await stage.permissions.check(
          .init(
            action: "unit.view",
            entityId: home.unit,
            atLeastRevision: "AAAAAAAAAAAAAAAAAAAAAA"
          ),
          options: .by(home.tenant)
        )
      }
      #expect(made == Refusal(.invalidArgument, "REVISION_INVALID"))
    }
  }

  @Test("An update with an old revision is refused")
  func update_oldRevision_isAborted() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let seen = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      let update = { (name: String) in
        try await stage.units.update(
          .init(unitId: home.unit, name: name, expectedRevision: seen.revision),
          options: .by(home.manager)
        )
      }
      let renamed = try await update("first")
      #expect(renamed.name == "first")
      #expect(renamed.revision != seen.revision)
      let late = try await refusal { try await update("second") }
      #expect(late == Refusal(.aborted, "REVISION_MISMATCH"))
    }
  }

  @Test("A watch begins with a heartbeat, tells of each change, and goes on where it was left")
  func watch_tellsOfChanges() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let options = CallOptions.byService("entitlement")
      let watch = stage.permissions.watchChanges(.init(), options: options)
      var changes = watch.makeAsyncIterator()
      let first = try #require(try await changes.next())
      #expect(first.kind == .heartbeat)
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_new"),
        options: .by(home.manager)
      )
      let next = try #require(try await changes.next())
      #expect(next.kind == .subject)
      #expect(next.subjectId == "usr_new")
      #expect(next.entityId == home.unit)
      _ = try await stage.units.update(
        .init(unitId: home.unit, name: "renamed"),
        options: .by(home.manager)
      )
      var resumed = stage.permissions.watchChanges(
        .init(afterRevision: next.revision),
        options: options
      ).makeAsyncIterator()
      let beat = try await resumed.next()
      #expect(beat?.kind == .heartbeat)
      // Who is cut off here comes back for what was missed.
      #expect(beat?.revision == next.revision)
      let missed = try await resumed.next()
      #expect(missed?.kind == .subtree)
      #expect(missed?.entityId == home.unit)
    }
  }

  @Test("A service that keeps an answer hears what lies above the object, a user does not")
  func check_forCache_namesAncestors() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let request = Tenancy_V1.CheckRequest(
        subjectId: home.tenant,
        action: "device.unlock",
        entityId: home.door,
        forCache: true
      )
      let service = try await stage.permissions.check(request, options: .byService("entitlement"))
      #expect(service.ancestorIds == [home.unit, home.property, home.portfolio])
      let user = try await stage.permissions.check(request, options: .by(home.tenant))
      #expect(user.allowed && user.ancestorIds.isEmpty)
    }
  }

  @Test("A batch of a thousand has the answers of single checks, in order")
  func batchCheck_equalsChecks() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let users = [home.owner, home.manager, home.tenant, home.guest, "usr_stranger"]
      let entities = [home.portfolio, home.property, home.unit, home.door, home.gate, "dev_x"]
      let actions = ["device.unlock", "unit.view", "portfolio.view", "device.view_history"]
      let checks = (0..<1000).map { number in
        Tenancy_V1.CheckRequest(
          subjectId: users[number % 5],
          action: actions[number / 5 % 4],
          entityId: entities[number / 20 % 6]
        )
      }
      let options = CallOptions.byService("auth")
      let batch = try await stage.permissions.batchCheck(.init(checks: checks), options: options)
      #expect(batch.decisions.count == 1000)
      for (check, answer) in zip(checks, batch.decisions).prefix(120) {
        let single = try await stage.permissions.check(check, options: options)
        #expect(single == answer)
      }
    }
  }
}
