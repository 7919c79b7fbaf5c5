internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A service that has something to say to other systems.
protocol EventSource: Sendable {
  /// Its name: `tenancy`.
  var name: String { get }

  /// The first events after one.
  func list(after sequence: Int64, limit: Int) async throws -> EventPage
}

/// Some events of a service.
struct EventPage: Sendable {
  /// In order.
  var events: [Event]
  /// Whether events before these are gone that nobody has seen.
  var hasGap = false
}

/// The events of this store.
struct StoredEvents: EventSource {
  let name = "tenancy"
  let database: Database

  func list(after sequence: Int64, limit: Int) async throws -> EventPage {
    EventPage(
      events: try await database.read { tx in
        try EventTable.list(after: sequence, limit: limit, in: tx)
      }
    )
  }
}

/// The events of another service.
struct RemoteEvents: EventSource {
  let name: String
  let client: Event_V1.EventsClient

  func list(after sequence: Int64, limit: Int) async throws -> EventPage {
    let answer = try await client.list(
      .init(after: UInt64(clamping: sequence), limit: UInt32(clamping: limit))
    )
    return EventPage(events: answer.events.map { Event($0) }, hasGap: answer.hasGap)
  }
}

extension Event {
  /// The event that another service tells.
  fileprivate init(_ wire: Event_V1.Event) {
    self.init(
      sequence: Int64(clamping: wire.sequence),
      recordedAt: wire.recordedAt?.milliseconds ?? 0,
      type: wire.type,
      object: wire.object,
      scope: wire.scope,
      userID: wire.userId,
      actor: wire.actor,
      requestID: wire.requestId,
      data: wire.data.isEmpty ? "{}" : wire.data
    )
  }
}
