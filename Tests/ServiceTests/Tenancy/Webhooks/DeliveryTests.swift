import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Deliveries: order, repetition, receivers that fail, and replays", .timeLimit(.minutes(5)))
struct DeliveryTests {
  private func rename(
    _ device: String,
    _ name: String,
    _ home: Building,
    _ stage: TenancyStage
  ) async throws {
    _ = try await stage.devices.update(
      .init(deviceId: device, name: name),
      options: .by(home.manager)
    )
  }

  @Test("Events of one object wait for the one before them, and those of others do not")
  func lanes_keepOrder() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      let door = home.door
      fixture.receiver.answer { request in
        let isDoor = (try? ReceivedEvent(request).subject) == door
        return .status(isDoor ? 500 : 200, wait: nil)
      }
      for name in ["One", "Two", "Three"] { try await rename(home.door, name, home, stage) }
      try await rename(home.gate, "Other", home, stage)
      await stage.deliver()
      let first = try fixture.receiver.events()
      #expect(first.map(\.subject) == [home.door, home.gate])
      let standing = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(standing.waitingCount == 3 && standing.state == .active)
      // Before the pause is over nothing is tried.
      stage.clock.advance(4_000)
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
      fixture.receiver.answer(200)
      stage.clock.advance(2_000)
      await stage.deliver()
      let rest = try fixture.receiver.events()
      #expect(rest.map(\.subject) == [home.door, home.door, home.door])
      #expect(rest.first?.id == first.first?.id)
      #expect(Set(rest.map(\.id)).count == 3)
    }
  }

  @Test(
    "An event that the receiver refuses ten times is given up, the lane goes on, and a replay sends it again"
  )
  func badEvent_isGivenUp() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      try await rename(home.door, "Bad", home, stage)
      await stage.service.webhooks?.intake.drain()
      let bad = Lock("")
      fixture.receiver.answer { request in
        let event = request.field("webhook-id") ?? ""
        let isBad = bad.withLock { bad in
          if bad.isEmpty { bad = event }
          return bad == event
        }
        return .status(isBad ? 422 : 200, wait: nil)
      }
      var attempts: [String] = []
      for round in 0..<12 {
        await stage.deliver()
        // Others succeed in between, so it is the event that is wrong.
        try await rename(home.gate, "Round \(round)", home, stage)
        await stage.deliver()
        attempts += fixture.receiver.taken().filter {
          $0.field("webhook-id") == bad.withLock { $0 }
        }
        .compactMap { $0.field("webhook-attempt") }
        stage.clock.advance(27 * 3_600_000)
      }
      #expect(attempts == (1...10).map { "\($0)" })
      try await rename(home.door, "Good", home, stage)
      await stage.deliver()
      #expect(try fixture.receiver.events().map(\.subject) == [home.door])
      let standing = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(standing.failedCount == 1 && standing.waitingCount == 1)

      let options = CallOptions.by(home.owner)
      let dry = try await stage.webhooks.replay(.init(id: id, isDryRun: true), options: options)
      #expect(dry.count == 1)
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
      fixture.receiver.answer(200)
      _ = try await stage.webhooks.replay(.init(id: id), options: options)
      await stage.deliver()
      let replayed = try fixture.receiver.events()
      #expect(replayed.map(\.id) == [bad.withLock { $0 }])
      #expect(replayed.first?.isReplay == true)
      #expect(
        try await stage.webhooks.get(.init(id: id), options: options).waitingCount == 0
      )
    }
  }

  @Test(
    "A receiver that is down is tried by one event, gets all when it is back, and is paused after five days"
  )
  func receiverDown_isProbed() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      fixture.receiver.answer { _ in .none }
      for device in [home.door, home.gate, home.cellar] {
        try await rename(device, "N", home, stage)
      }
      await stage.deliver()
      stage.clock.advance(6_000)
      await stage.deliver()
      let down = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(down.state == .down && down.waitingCount == 3)
      #expect(down.failingSince == .init(milliseconds: stage.clock.now - 6_000))
      _ = fixture.receiver.taken()
      fixture.receiver.answer(200)
      // One is due; the others would wait for five minutes, had it not shown that the receiver is back.
      stage.clock.advance(6_000)
      await stage.deliver()
      #expect(
        Set(try fixture.receiver.events().map(\.subject)) == [home.door, home.gate, home.cellar]
      )
      let back = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(back.state == .active && back.failingSince == nil)

      fixture.receiver.answer { _ in .none }
      for device in [home.door, home.gate, home.cellar] {
        try await rename(device, "M", home, stage)
      }
      await stage.deliver()
      stage.clock.advance(6_000)
      await stage.deliver()
      _ = fixture.receiver.taken()
      stage.clock.advance(400_000)
      await stage.deliver()
      #expect(fixture.receiver.taken().count == 1)
      for _ in 0..<20 {
        await stage.deliver()
        stage.clock.advance(12 * 3_600_000)
      }
      let paused = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(paused.state == .paused && paused.pausedBecause == .failing)
      #expect(paused.waitingCount == 3 && paused.failedCount == 0)
      fixture.receiver.answer(200)
      _ = fixture.receiver.taken()
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
      _ = try await stage.webhooks.resume(.init(id: id), options: .by(home.owner))
      await stage.deliver()
      #expect(try fixture.receiver.events().count == 3)
    }
  }

  @Test("Retry-After is waited for, up to an hour, and 410 pauses at once")
  func receiversWishes_count() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      fixture.receiver.answer(429, wait: 1_000_000_000)
      try await rename(home.door, "One", home, stage)
      try await rename(home.gate, "Two", home, stage)
      await stage.deliver()
      #expect(fixture.receiver.taken().count == 1)
      fixture.receiver.answer(200)
      stage.clock.advance(3_500_000)
      await stage.deliver()
      #expect(fixture.receiver.taken().isEmpty)
      stage.clock.advance(200_000)
      await stage.deliver()
      #expect(fixture.receiver.taken().count == 2)
      fixture.receiver.answer(410)
      try await rename(home.door, "Three", home, stage)
      await stage.deliver()
      let gone = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
      #expect(gone.state == .paused && gone.pausedBecause == .gone && gone.waitingCount == 1)
    }
  }

  @Test(
    "A replay of a time sends what happened then, behind what is new, and resuming can drop what is old"
  )
  func replay_ofATime() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let options = CallOptions.by(home.owner)
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      var instants: [Int64] = []
      for name in ["One", "Two", "Three"] {
        instants.append(stage.clock.now)
        try await rename(home.door, name, home, stage)
        stage.clock.advance(60_000)
      }
      await stage.deliver()
      let sent = try fixture.receiver.events()
      #expect(sent.count == 3)
      let answer = try await stage.webhooks.replay(
        .init(
          id: id,
          since: .init(milliseconds: instants[1]),
          until: .init(milliseconds: instants[2])
        ),
        options: options
      )
      #expect(answer.count == 1)
      let one = try await stage.webhooks.replay(
        .init(id: id, eventId: sent[0].id),
        options: options
      )
      #expect(one.count == 1)
      await stage.deliver()
      #expect(Set(try fixture.receiver.events().map(\.id)) == [sent[0].id, sent[1].id])
      #expect(
        try await refusal {
          try await stage.webhooks.replay(.init(id: id, eventId: "evt_unknown"), options: options)
        }?.reason == "EVENT_UNKNOWN"
      )
      _ = try await stage.webhooks.pause(.init(id: id), options: options)
      try await rename(home.door, "Old", home, stage)
      stage.clock.advance(60_000)
      let bound = stage.clock.now
      try await rename(home.door, "New", home, stage)
      await stage.deliver()
      #expect(fixture.receiver.taken().isEmpty)
      _ = try await stage.webhooks.resume(
        .init(id: id, droppingBefore: .init(milliseconds: bound)),
        options: options
      )
      await stage.deliver()
      #expect(try fixture.receiver.events().count == 1)
    }
  }

  @Test(
    "Of a long queue only a lane is looked at, and what is due comes in its order",
    .disabled(if: TestServer.isUsed, "reads SQLite's plan"),
    arguments: [
      (DeliveryTable.findFirst, "webhook_delivery_by_lane (webhook_id=? AND lane=?)"),
      (DeliveryTable.holdLane, "webhook_delivery_by_lane (webhook_id=? AND lane=?)"),
      (DeliveryTable.findDue(exceptCount: 0), "webhook_delivery_by_due (is_replay=? AND due_at<?)"),
      (DeliveryTable.findDue(exceptCount: 2), "webhook_delivery_by_due (is_replay=? AND due_at<?)"),
    ]
  )
  func queue_long_isNotRead(statement: String, index: String) async throws {
    try await TenancyStage.run(webhooks: WebhookFixture()) { stage in
      let values = statement.filter { $0 == "?" }.map { _ in SQLValue.integer(0) }
      let plan = try await stage.service.database.read { tx in
        try tx.query("EXPLAIN QUERY PLAN \(statement)", values: values) { $0.text(3) }
      }
      #expect(plan.first?.hasSuffix("USING INDEX \(index)") == true, "\(plan)")
      // A sort would read all of it.
      #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    }
  }

  @Test("Beside deliveries that land at the same moment nothing is sent twice")
  func deliveries_landingAtOnce_areSentOnce() async throws {
    let fixture = WebhookFixture()
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      let unit = Tenancy_V1.NewEntity(type: "unit", parentId: home.property, name: "Unit")
      _ = try await stage.entities.batchCreate(
        .init(entities: Array(repeating: unit, count: 300)),
        options: .by(home.manager)
      )
      let webhooks = try #require(stage.service.webhooks)
      await webhooks.intake.drain()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await webhooks.sender.run(on: stage.testLoop) }
        let isEmpty = try await stage.eventually {
          try await stage.service.database.read { tx in
            try DeliveryTable.waiting(for: id, in: tx).count == 0
          }
        }
        #expect(isEmpty)
        group.cancelAll()
      }
      let events = try fixture.receiver.events()
      #expect(events.count == 300 && Set(events.map(\.id)).count == 300)
    }
  }

  @Test("What another service tells of an entity goes to the webhook of the entity's tenant")
  func holdersBelow_areTheTenants() async throws {
    let source = ScriptedEvents()
    var fixture = WebhookFixture()
    fixture.sources = [source]
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let other = try await Building(stage, name: "b")
      for building in [home, other] {
        _ = try await stage.makeWebhook(on: building.portfolio, by: building.owner, fixture)
      }
      let now = stage.clock.now
      source.add("points.changed", object: "ptx_1", scope: home.unit, at: now)
      source.add("plan.changed", object: home.portfolio, scope: home.portfolio, at: now)
      source.add("plan.changed", object: "usr_1", scope: "usr_1", at: now)
      await stage.deliver()
      let events = try fixture.receiver.events()
      #expect(events.map(\.type) == ["points.changed", "plan.changed"])
      #expect(events.map { $0.data["tenantId"] } == [home.portfolio, home.portfolio])
      #expect(events.map { $0.data["holderId"] } == [home.unit, nil])
    }
  }

  @Test(
    "What is older than 30 days is gone, which a webhook that missed it hears; a source's loss all hear of"
  )
  func age_isTold() async throws {
    let source = ScriptedEvents()
    var fixture = WebhookFixture()
    fixture.sources = [source]
    try await TenancyStage.run(webhooks: fixture) { stage in
      let home = try await Building(stage, name: "a")
      // One of a tenant that the new event is not about.
      let other = try await Building(stage, name: "b")
      _ = try await stage.makeWebhook(on: other.portfolio, by: other.owner, fixture)
      let made = try await stage.makeWebhook(on: home.portfolio, by: home.owner, fixture)
      let id = try #require(made.webhook?.id)
      _ = try await stage.webhooks.pause(.init(id: id), options: .by(home.owner))
      try await rename(home.door, "One", home, stage)
      await stage.deliver()
      stage.clock.advance(86_400_000)
      try await rename(home.door, "Two", home, stage)
      await stage.deliver()
      stage.clock.advance(29 * 86_400_000 + 1)
      // Of what it has missed it hears once, although the second event goes a day later.
      for waitingCount in [2, 1] as [UInt64] {
        try await stage.service.purge(now: stage.clock.now)
        let standing = try await stage.webhooks.get(.init(id: id), options: .by(home.owner))
        #expect(standing.waitingCount == waitingCount)
        stage.clock.advance(86_400_000)
      }
      try await stage.service.database.purgeOldRows(now: stage.clock.now)
      _ = try await stage.webhooks.resume(.init(id: id), options: .by(home.owner))
      source.add(
        "plan.changed",
        object: home.portfolio,
        scope: home.portfolio,
        at: stage.clock.now,
        hasGap: true
      )
      await stage.deliver()
      let events = try fixture.receiver.events()
      let resync = "webhook.resync"
      #expect(events.map(\.type).sorted() == ["plan.changed", resync, resync, resync])
      // A source that is asked again has nothing new.
      await stage.deliver()
      #expect(try fixture.receiver.events().isEmpty)
    }
  }
}

/// A service whose events a test makes up.
private final class ScriptedEvents: EventSource {
  let name = "entitlement"
  private let state = Lock<(events: [Event], hasGap: Bool)>(([], false))

  func add(
    _ type: String,
    object: String,
    scope: String,
    at instant: Int64,
    hasGap: Bool = false
  ) {
    state.withLock { state in
      let event = Event(
        sequence: Int64(state.events.count) + 10,
        recordedAt: instant,
        type: type,
        object: object,
        scope: scope,
        userID: "",
        actor: "svc://entitlement",
        requestID: "req_1",
        data: type == "plan.changed"
          ? #"{"subject":"organization","cause":"service","version":"1"}"# : #"{"deed":"earn"}"#
      )
      state.events.append(event)
      state.hasGap = hasGap
    }
  }

  func list(after sequence: Int64, limit: Int) async throws -> EventPage {
    state.withLock { state in
      EventPage(
        events: Array(state.events.filter { $0.sequence > sequence }.prefix(limit)),
        hasGap: state.hasGap
      )
    }
  }
}
