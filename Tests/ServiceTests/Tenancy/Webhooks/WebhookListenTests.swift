import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Events are heard of on a machine that no address leads to", .timeLimit(.minutes(2)))
struct WebhookListenTests {
  /// The next event that is no sign of life.
  private func next(
    _ events: inout ResponseStream<Tenancy_V1.ListenedEvent>.AsyncIterator
  ) async throws -> Tenancy_V1.ListenedEvent? {
    while let event = try await events.next() {
      if !event.id.isEmpty { return event }
    }
    return nil
  }

  @Test("A listener hears of the tenant's events of its types from then on, as a webhook does")
  func listen_hearsOfTenant() async throws {
    try await TenancyStage.run(webhooks: WebhookFixture()) { stage in
      let home = try await Building(stage, name: "a")
      let other = try await Building(stage, name: "b")
      // Events of the first millisecond are sent too.
      stage.clock.advance(1)
      var events = stage.webhooks.listen(
        .init(entityId: home.portfolio, types: ["entity.updated"]),
        options: .by(home.owner)
      ).makeAsyncIterator()
      #expect(try await events.next()?.id == "")
      for building in [other, home] {
        _ = try await stage.devices.update(
          .init(deviceId: building.door, name: "Renamed"),
          options: .by(building.manager)
        )
      }
      let event = try #require(try await next(&events))
      #expect(event.type == "entity.updated" && event.object == home.door)
      #expect(event.body.contains("\"subject\":\"\(home.door)\""))
      #expect(event.body.contains("\"id\":\"\(event.id)\""))
    }
  }

  @Test("Nobody listens to a tenant without the right to manage its webhooks, nor after it")
  func listen_needsRight() async throws {
    try await TenancyStage.run(webhooks: WebhookFixture()) { stage in
      let home = try await Building(stage, name: "a")
      // Before the first sign of life, and without an event.
      stage.clock.advance(1)
      func first(_ entity: String, by user: String) async throws -> Refusal? {
        var events = stage.webhooks.listen(.init(entityId: entity), options: .by(user))
          .makeAsyncIterator()
        return try await refusal { _ = try await events.next() }
      }
      let stranger = try await first(home.portfolio, by: "usr_stranger")
      #expect(stranger?.code == .notFound)
      let system = try await first("sys_root", by: home.owner)
      #expect(system?.code == .notFound || system?.code == .permissionDenied)
      let type = try await refusal {
        for try await _ in stage.webhooks.listen(
          .init(entityId: home.portfolio, types: ["nonsense.happened"]),
          options: .by(home.owner)
        ) {}
      }
      #expect(type?.code == .invalidArgument)
      var events = stage.webhooks.listen(
        .init(entityId: home.portfolio),
        options: .by(home.owner)
      ).makeAsyncIterator()
      #expect(try await events.next()?.id == "")
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_boss"),
        options: .byService("auth")
      )
      _ = try await Tenancy_V1.SubjectsClient(stage.channel).suspend(
        .init(userId: home.owner, note: "left"),
        options: .by("usr_boss")
      )
      _ = try await stage.devices.update(
        .init(deviceId: home.door, name: "Renamed"),
        options: .by(home.manager)
      )
      let ended = try await refusal { while try await events.next() != nil {} }
      #expect(ended?.code == .notFound)
    }
  }

  @Test("Where no webhooks are sent, nobody listens")
  func listen_withoutWebhooks_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let off = try await refusal {
        for try await _ in stage.webhooks.listen(
          .init(entityId: home.portfolio),
          options: .by(home.owner)
        ) {}
      }
      #expect(off == Refusal(.failedPrecondition, "WEBHOOKS_OFF"))
    }
  }
}
