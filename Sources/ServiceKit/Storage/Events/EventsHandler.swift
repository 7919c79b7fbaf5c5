internal import PeerContracts
public import RPCKit

/// `event.v1.Events`: what a service has to say to other systems, for the service that sends it there.
struct EventsHandler: Event_V1.EventsService {
  /// Events in an answer, if the caller does not say.
  private static let usualCount = 100

  let store: ServiceStore

  func list(
    _ request: Event_V1.ListEventsRequest,
    _ call: CallContext
  ) async throws -> Event_V1.ListEventsResponse {
    try await page(
      after: Int64(clamping: request.after),
      limit: request.limit == 0 ? Self.usualCount : Int(request.limit)
    )
  }

  /// The first events after one, at most `limit`.
  func page(after: Int64, limit: Int) async throws -> Event_V1.ListEventsResponse {
    let isKept = store.database.configuration.eventRules != nil
    return try await store.read { tx in
      let events = try EventTable.list(after: after, limit: limit, in: tx)
      // All that a follower has seen is gone, and maybe more: numbers have gaps.
      let oldest = try EventTable.oldest(in: tx) ?? 0
      return .init(
        events: events.map { Event_V1.Event($0) },
        isKept: isKept,
        hasGap: after > 0 && oldest > after + 1
      )
    }
  }
}

extension ServiceStore {
  /// The service by which another one reads the events of this store, for a server.
  public var eventsService: ServiceDefinition { EventsHandler(store: self).definition }
}

extension Event_V1.Event {
  init(_ event: Event) {
    self.init(
      sequence: UInt64(clamping: event.sequence),
      recordedAt: .init(milliseconds: event.recordedAt),
      type: event.type,
      object: event.object,
      scope: event.scope,
      userId: event.userID,
      actor: event.actor,
      requestId: event.requestID,
      data: event.data
    )
  }
}
