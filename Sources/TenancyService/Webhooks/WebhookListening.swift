internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// Events as they happen, for a machine that no address leads to: what a webhook of the caller's would get, as a stream.
///
/// Nothing is stored of it, and nothing is sent again: a listener that is cut off hears of what follows.
struct WebhookListening: WatchSource {
  /// The number of the last event of each service.
  typealias Position = [String: Int64]

  /// Silence of the stream, at most.
  static let heartbeatInterval = Duration.seconds(3)
  /// How often services are asked.
  private static let interval = Duration.milliseconds(500)
  /// Events of one service that are looked at at a time.
  private static let pageCount = 100

  let core: TenancyCore
  let sources: [any EventSource]
  /// The webhook that the caller might have.
  let webhook: WebhookRecord
  /// Where the schemas of events are; nil to name none.
  let schemas: EventSchemaAddress?
  let loop: any EventLoop

  /// The place where deliveries to webhooks are now, which is about the end.
  func position() async throws -> Position {
    try await core.database.read { [sources] tx in
      var position: Position = [:]
      for source in sources {
        position[source.name] = try FeedPosition.find("events.\(source.name)", in: tx) ?? 0
      }
      return position
    }
  }

  func events(
    after position: Position
  ) async throws -> WatchBatch<Tenancy_V1.ListenedEvent, Position>? {
    var batch = WatchBatch<Tenancy_V1.ListenedEvent, Position>([], position: position)
    for source in sources {
      let page = try await source.list(after: position[source.name] ?? 0, limit: Self.pageCount)
      guard let last = page.events.last else { continue }
      batch.position[source.name] = last.sequence
      let (identifiers, name) = (core.identifiers, source.name)
      let events = page.events.map {
        WebhookEvent(id: identifiers.make(.event), source: name, event: $0)
      }
      for event in try await core.read({ tx in try EventIntake.located(events, in: tx) }) {
        if let message = try await message(event) { batch.events.append(message) }
      }
    }
    return batch
  }

  func heartbeat(at position: Position) -> Tenancy_V1.ListenedEvent { .init() }

  func waitForNews(after position: Position) async { await loop.sleep(Self.interval) }

  /// The event as a webhook would get it; nil when it would not.
  private func message(_ event: WebhookEvent) async throws -> Tenancy_V1.ListenedEvent? {
    guard webhook.wants(event.event, system: Forest.systemIdentifier) else { return nil }
    switch try await WebhookRights(core: core).verdict(webhook, event) {
    case .allowed: break
    case .notAllowed: return nil
    case .makerLostRole: throw TenancyError.notFound
    }
    let request = WebhookRequest(event, schemas: schemas)
    return .init(
      id: request.id,
      type: event.event.type,
      object: event.event.object,
      body: String(decoding: request.body, as: UTF8.self)
    )
  }
}
