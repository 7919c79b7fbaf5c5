import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Notices by mail", .timeLimit(.minutes(3)))
struct NoticeTests {
  private static let hour: Int64 = 3_600_000

  private func rename(_ device: String, _ home: Building, _ stage: TenancyStage) async throws {
    _ = try await stage.devices.update(
      .init(deviceId: device, name: "N\(stage.clock.now)"),
      options: .by(home.manager)
    )
  }

  @Test(
    "A role that another person gives or takes makes a notice with names; one's own deeds make none"
  )
  func access_isTold() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      // What was before there were notices is no news.
      try await stage.tell()
      #expect(fixture.post.taken().isEmpty)

      try await grantGuest("usr_new", home, stage)
      try await stage.tell()
      let given = fixture.post.taken()
      #expect(given.map(\.userID) == ["usr_new"])
      guard case .accessGiven(let object)? = given.first?.content else {
        Issue.record("\(given)")
        return
      }
      #expect(object.role == "guest" && object.type == "device" && object.entityID == home.door)
      #expect(!object.name.isEmpty && !object.parentName.isEmpty)

      _ = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.tenant))
      try await stage.tell()
      let ended = fixture.post.taken()
      #expect(ended.map(\.userID) == [home.guest])
      guard case .accessEnded? = ended.first?.content else {
        Issue.record("\(ended)")
        return
      }
      // The owner makes something, and with it a role of their own.
      _ = try await stage.portfolios.create(.init(name: "Mine"), options: .by(home.owner))
      try await stage.tell()
      #expect(fixture.post.taken().isEmpty)
    }
  }

  private func grantGuest(
    _ user: String,
    _ home: Building,
    _ stage: TenancyStage
  ) async throws {
    let now = stage.clock.now
    _ = try await stage.guests.grant(
      .init(
        userId: user,
        deviceIds: [home.door],
        validFrom: .init(milliseconds: now),
        validUntil: .init(milliseconds: now + Self.hour)
      ),
      options: .by(home.tenant)
    )
  }

  @Test(
    "While nobody takes notices they wait, in order, and each is handed over; a day later none is news"
  )
  func post_away_isRetried() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      try await stage.tell()
      fixture.post.fail(RPCError(.unavailable, "away"))
      for user in ["usr_x", "usr_y"] { try await grantGuest(user, home, stage) }
      for _ in 1...3 {
        await #expect(throws: RPCError.self) { try await stage.tell() }
      }
      fixture.post.fail(nil)
      try await stage.tell()
      let told = fixture.post.taken()
      #expect(told.map(\.userID) == ["usr_x", "usr_y"] && Set(told.map(\.id)).count == 2)

      // What can never be mailed keeps no other back.
      fixture.post.fail(RPCError(.invalidArgument, "no"))
      try await grantGuest("usr_z", home, stage)
      try await stage.tell()
      fixture.post.fail(RPCError(.unavailable, "away"))
      try await grantGuest("usr_late", home, stage)
      stage.clock.advance(25 * Self.hour)
      fixture.post.fail(nil)
      try await stage.tell()
      #expect(fixture.post.taken().isEmpty)
    }
  }

  @Test("Access makes no notices where the settings turn them off")
  func access_off_isNotTold() async throws {
    var fixture = WebhookFixture()
    fixture.notices.access = false
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      try await stage.tell()
      try await grantGuest("usr_new", home, stage)
      try await stage.tell()
      #expect(fixture.post.taken().isEmpty)
    }
  }

  @Test(
    "A failing receiver makes a notice after an hour, after a day, and at the pause, each once"
  )
  func receiver_failing_isTold() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.makeWebhook(
        on: home.portfolio,
        by: home.owner,
        url: "https://hooks.example.com/secret-path",
        fixture
      )
      try await stage.tell()
      _ = fixture.post.taken()
      fixture.receiver.answer(500)
      let began = stage.clock.now
      for device in [home.door, home.gate, home.cellar] {
        try await rename(device, home, stage)
      }
      var told: [(after: Int64, Notice)] = []
      for _ in 0..<(6 * 24 * 4) {
        await stage.deliver()
        try await stage.tell()
        told += fixture.post.taken().map { ((stage.clock.now - began) / Self.hour, $0) }
        stage.clock.advance(Self.hour / 4)
      }
      #expect(told.map(\.1.userID) == [home.owner, home.owner, home.owner])
      #expect(
        told.map(\.1.content) == [
          .webhookFailing(host: "hooks.example.com"), .webhookFailing(host: "hooks.example.com"),
          .webhookPaused(host: "hooks.example.com", why: .failing),
        ]
      )
      #expect(told.prefix(2).allSatisfy { $0.1.happenedAt == began })
      #expect((1...3).contains(told[0].after) && (24...48).contains(told[1].after))
      #expect((120...144).contains(told[2].after))
    }
  }

  @Test(
    "A success in between begins anew; a receiver that is gone makes a notice at once"
  )
  func receiver_recovers_beginsAnew() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      try await stage.tell()
      _ = fixture.post.taken()
      for round in 0..<2 {
        fixture.receiver.answer(500)
        try await rename(home.door, home, stage)
        for _ in 0..<12 {
          await stage.deliver()
          stage.clock.advance(Self.hour / 4)
        }
        try await stage.tell()
        #expect(fixture.post.taken().map(\.userID) == [home.owner], "round \(round)")
        fixture.receiver.answer(200)
        stage.clock.advance(6 * Self.hour)
        await stage.deliver()
        let standing = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
        #expect(standing.failingSince == nil)
      }
      fixture.receiver.answer(410)
      try await rename(home.door, home, stage)
      await stage.deliver()
      try await stage.tell()
      #expect(
        fixture.post.taken().map(\.content) == [
          .webhookPaused(host: "hooks.example.com", why: .gone)
        ]
      )
    }
  }

  @Test(
    "A maker who may no longer manage the webhook is told so, and that of the installation hears of it"
  )
  func maker_lostRight_isTold() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      try await stage.makeOperator("usr_operator")
      _ = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      _ = try await stage.makeWebhook(
        on: "sys_root",
        by: "usr_operator",
        types: ["webhook.paused"],
        url: "https://other.example.com/in",
        fixture
      )
      try await stage.tell()
      _ = fixture.post.taken()
      _ = try await stage.subjects.suspend(
        .init(userId: home.owner, note: "a test"),
        options: .by("usr_operator", isRecent: true)
      )
      try await rename(home.door, home, stage)
      await stage.deliver()
      try await stage.tell()
      let told = fixture.post.taken().filter { notice in
        if case .webhookPaused = notice.content { true } else { false }
      }
      #expect(
        told.map(\.content) == [.webhookPaused(host: "hooks.example.com", why: .makerLostRole)]
      )
      #expect(told.map(\.userID) == [home.owner])
      await stage.deliver()
      let heard = try fixture.receiver.events().filter { $0.type == "webhook.paused" }
      #expect(heard.map { $0.data["why"] } == ["maker_lost_role"])
      #expect(heard.map { $0.data["host"] } == ["hooks.example.com"])
    }
  }

  @Test("A webhook has a name, and its log can be read by outcome")
  func webhook_nameAndOutcome() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      var webhook = try #require(made.webhook)
      #expect(webhook.name.isEmpty)
      webhook = try await stage.webhooks.update(
        .init(id: webhook.id, url: webhook.url, name: "Bookings"),
        options: .by(home.owner, isRecent: true)
      )
      #expect(webhook.name == "Bookings" && webhook.state == .active)
      fixture.receiver.answer(500)
      try await rename(home.door, home, stage)
      await stage.deliver()
      fixture.receiver.answer { _ in .none }
      try await rename(home.gate, home, stage)
      await stage.deliver()
      for (outcome, count) in [
        (Tenancy_V1.WebhookOutcome.refused, 1), (.unreachable, 1), (.delivered, 1),
        (.notAllowed, 0), (.unspecified, 3),
      ] {
        let log = try await stage.webhooks.listAttempts(
          .init(id: webhook.id, outcome: outcome),
          options: .by(home.owner)
        )
        #expect(log.attempts.count == count, "\(outcome)")
      }
      let refused = try await refusal {
        try await stage.webhooks.listAttempts(
          .init(id: webhook.id, outcome: .init(rawValue: 99)),
          options: .by(home.owner)
        )
      }
      #expect(refused == Refusal(.invalidArgument, "OUTCOME_UNKNOWN"))
    }
  }
}
