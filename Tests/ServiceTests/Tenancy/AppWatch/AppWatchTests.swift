import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Watches of apps", .timeLimit(.minutes(5)))
struct AppWatchTests {
  @Test("A watch begins with now, and tells each of what they see of a device, and nobody else")
  func device_isToldToThoseWhoSeeIt() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let other = try await Building(stage, name: "b")
      var apps: [String: AppClient] = [:]
      for user in [home.owner, home.tenant, home.guest, other.owner, "usr_nobody"] {
        apps[user] = AppClient(stage, user)
        #expect(try await apps[user]?.current() == [])
      }
      try await home.set("online", false, stage)
      _ = try await stage.devices.update(
        .init(deviceId: home.cellar, name: "Wine"),
        options: .by(home.manager)
      )
      #expect(
        try await apps[home.owner]?.told() == ["device \(home.door)", "device \(home.cellar)"]
      )
      #expect(try await apps[home.tenant]?.told() == ["device \(home.door)"])
      #expect(try await apps[home.guest]?.told() == ["device \(home.door)"])
      #expect(try await apps[other.owner]?.told() == [])
      #expect(try await apps["usr_nobody"]?.told() == [])
    }
  }

  @Test("A device is told as its reader sees it, with its revision")
  func device_isTheReaders() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var (tenant, guest) = (AppClient(stage, home.tenant), AppClient(stage, home.guest))
      try await tenant.current()
      try await guest.current()
      try await home.set("remote_operation_enabled", false, stage)
      for (user, events) in [
        (home.tenant, try await tenant.toldEvents()), (home.guest, try await guest.toldEvents()),
      ] {
        let read = try await stage.devices.get(.init(deviceId: home.door), options: .by(user))
        #expect(events.map(\.device) == [read])
        #expect(events.map(\.revision) == [read.revision])
        #expect(events.map(\.objectType) == ["device"])
      }
    }
  }

  @Test("A role that was given or ended is told to its holder, with what it shows from then on")
  func role_changed_isTold() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var (app, tenant) = (AppClient(stage, "usr_new"), AppClient(stage, home.tenant))
      try await app.current()
      try await tenant.current()
      try await home.set("online", false, stage)
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_new"),
        options: .by(home.manager)
      )
      // What has happened before may be told as well: it may be seen now. Then the role may be told twice.
      let first = Set(try await app.told().map { $0.replacing(" repeated", with: "") })
      #expect(first.contains("rights"))
      #expect(first.isSubset(of: ["rights", "device \(home.door)"]))
      try await home.set("online", true, stage)
      #expect(try await app.told() == ["device \(home.door)"])
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: "usr_new"),
        options: .by(home.manager)
      )
      #expect(try await app.told() == ["rights"])
      try await home.set("online", false, stage)
      #expect(try await app.told() == [])
      // The other tenant hears of the device alone.
      #expect(Set(try await tenant.told()) == ["device \(home.door)"])
    }
  }

  @Test("A device deleted or moved away is gone for those who saw it where it was, and them alone")
  func device_gone_isToldWhereItWas() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var apps: [String: AppClient] = [:]
      for user in [home.owner, home.tenant] { apps[user] = AppClient(stage, user) }
      for user in apps.keys { try await apps[user]?.current() }
      _ = try await stage.units.unassignDevice(
        .init(unitId: home.unit, deviceId: home.door),
        options: .by(home.manager)
      )
      let moved = try await apps[home.tenant]?.told() ?? []
      #expect(moved.last == "device \(home.door) gone", "\(moved)")
      #expect(try await apps[home.owner]?.told() == ["device \(home.door)"])
      _ = try await stage.devices.delete(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      _ = try await stage.devices.delete(
        .init(deviceId: home.cellar),
        options: .by(home.manager)
      )
      #expect(
        try await apps[home.owner]?.told() == [
          "device \(home.door) gone", "device \(home.cellar) gone",
        ]
      )
      #expect(try await apps[home.tenant]?.told() == [])
    }
  }

  @Test("A common area that is no longer one is told to the tenants of its unit")
  func commonArea_ended_isTold() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var app = AppClient(stage, home.tenant)
      try await app.current()
      _ = try await stage.units.update(
        .init(unitId: home.unit, commonAreaDevices: .init(deviceIds: [home.cellar])),
        options: .by(home.manager)
      )
      let told = Set(try await app.told())
      #expect(told == ["device \(home.cellar)", "rights \(home.unit)"])
    }
  }

  @Test("Documents are told to their owner: their content, by collection, and that they are gone")
  func document_isTold() async throws {
    try await TenancyStage.run { stage in
      let (ada, eve) = (stage.documents(of: "usr_ada"), stage.documents(of: "usr_eve"))
      var app = AppClient(stage, "usr_ada")
      var moods = AppClient(stage, "usr_ada", kinds: [.document], collections: ["moods", "marks"])
      try await app.current()
      try await moods.current()
      let put = try await ada.put("m1", #"{"n":1}"#)
      try await stage.documents(of: "usr_ada", in: "sessions").put("s1")
      try await eve.put("e1")
      let events = try await app.toldEvents()
      #expect(events.map(AppClient.text) == ["document m1", "document s1"])
      #expect(events.first?.document?.json == #"{"n":1}"#)
      #expect(events.first?.revision == put.revision && events.first?.collection == "moods")
      try await ada.delete("m1")
      #expect(try await app.told() == ["document m1 gone"])
      #expect(try await moods.told() == ["document m1", "document m1 gone"])
    }
  }

  @Test("Another policy, and what a tenant defines of roles, are told as rights")
  func policy_isTold() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var (app, stranger) = (AppClient(stage, home.tenant), AppClient(stage, "usr_nobody"))
      try await app.current()
      try await stranger.current()
      var policy = try PolicyFile.bytes("smart-home")
      policy = Array(
        String(decoding: policy, as: UTF8.self).replacing("\"version\": 5", with: "\"version\": 6")
          .utf8
      )
      try await stage.service.reload { policy }
      #expect(try await app.told() == ["rights"])
      #expect(try await stranger.told() == ["rights"])
    }
  }

  @Test("A suspended user's watches end, and begin no more")
  func suspension_ends() async throws {
    try await TenancyStage.run { stage in
      try await stage.makeOperator("usr_op")
      var app = AppClient(stage, "usr_ada")
      try await app.current()
      _ = try await stage.subjects.suspend(
        .init(userId: "usr_ada"),
        options: .by("usr_op")
      )
      #expect(await app.ending() == "PERMISSION_DENIED SUBJECT_SUSPENDED")
      var next = AppClient(stage, "usr_ada")
      #expect(await next.ending() == "PERMISSION_DENIED SUBJECT_SUSPENDED")
    }
  }

  @Test("A session may have five watches and a user twenty; one that ends makes room")
  func watches_areBounded() async throws {
    let tooMany = "TOO_MANY_WATCHES"
    try await TenancyStage.run { stage in
      var open: [AppClient] = []
      for session in 0..<4 {
        for _ in 0..<AppWatchLimits.sessionCountMax {
          var app = AppClient(stage, "usr_ada", session: "ses_\(session)")
          try await app.current()
          open.append(app)
        }
        var surplus = AppClient(stage, "usr_ada", session: "ses_\(session)")
        #expect(await surplus.ending() == "RESOURCE_EXHAUSTED \(tooMany)")
      }
      #expect(open.count == AppWatchLimits.userCountMax)
      var surplus = AppClient(stage, "usr_ada", session: "ses_9")
      #expect(await surplus.ending() == "RESOURCE_EXHAUSTED \(tooMany)")
      var other = AppClient(stage, "usr_eve")
      try await other.current()
      open.removeLast()
      let hasRoom = await stage.eventually {
        var app = AppClient(stage, "usr_ada", session: "ses_9")
        guard let first = try? await app.next() else { return false }
        return first.kind == .current
      }
      #expect(hasRoom)
    }
  }
}
