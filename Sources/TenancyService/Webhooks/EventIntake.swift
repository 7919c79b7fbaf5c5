internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Takes in the events of all services, and queues them for the webhooks that want them.
///
/// How far it has come is written with what it has queued, so a program that ends loses nothing and queues nothing
/// twice.
final class EventIntake: Sendable {
  /// How often sources are asked.
  static let interval = Duration.milliseconds(500)
  /// Events that are taken in at a time.
  static let pageCount = 500

  private let core: TenancyCore
  private let sources: [any EventSource]
  private let metrics: WebhookMetrics
  /// Called when something was queued.
  private let onArrival: @Sendable () -> Void
  /// The sources that do not answer.
  private let silent = Lock<Set<String>>([])

  init(
    _ core: TenancyCore,
    _ sources: [any EventSource],
    metrics: WebhookMetrics,
    onArrival: @escaping @Sendable () -> Void
  ) {
    (self.core, self.sources, self.metrics) = (core, sources, metrics)
    self.onArrival = onArrival
  }

  /// Takes in what comes, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    await withDiscardingTaskGroup { group in
      for source in sources {
        group.addTask { [self] in
          while !Task.isCancelled {
            await drain(source)
            await loop.sleep(Self.interval)
          }
        }
      }
    }
  }

  /// Takes in all that the sources have now.
  func drain() async { for source in sources { await drain(source) } }

  private func drain(_ source: any EventSource) async {
    do {
      while try await take(from: source) {}
      if silent.withLock({ $0.remove(source.name) }) != nil {
        core.logger.notice("events arrive again", ["source": .string(source.name)])
      }
    } catch is CancellationError {
      // The position is where it was.
    } catch {
      guard silent.withLock({ $0.insert(source.name).inserted }) else { return }
      core.logger.warning(
        "no events arrive; retrying",
        ["source": .string(source.name), "error": "\(error)"]
      )
    }
  }

  /// Takes in the next events of a source; whether there may be more.
  private func take(from source: any EventSource) async throws -> Bool {
    let feed = "events.\(source.name)"
    let position = try await core.database.read { tx in try FeedPosition.find(feed, in: tx) }
    let page = try await source.list(after: position ?? 0, limit: Self.pageCount)
    guard let last = page.events.last else { return false }
    let (identifiers, name) = (core.identifiers, source.name)
    let queuedCount = try await core.changeOwn { tx -> Int in
      // Another program may have been faster, when it took over.
      guard try FeedPosition.find(feed, in: tx) == position else { return 0 }
      var events = page.events.map {
        WebhookEvent(id: identifiers.make(.event), source: name, event: $0)
      }
      if page.hasGap, let first = page.events.first {
        let resync = Self.resync(
          name,
          at: first.recordedAt,
          sequence: first.sequence - 1,
          id: identifiers.make(.event)
        )
        events.insert(resync, at: 0)
      }
      try FeedPosition.put(last.sequence, of: feed, in: tx)
      return try Self.queue(try Self.located(events, in: tx), in: tx)
    }
    metrics.taken.add(UInt64(page.events.count))
    if queuedCount > 0 { onArrival() }
    return page.events.count == Self.pageCount
  }

  /// The events with their tenants: another service knows only the entity that something belongs to.
  ///
  /// A child has points, and its family has the webhook. The entity stays in the event, as `holderId`.
  static func located(
    _ events: [WebhookEvent],
    in tx: borrowing some Queryable
  ) throws -> [WebhookEvent] {
    let scopes = Set(events.map(\.event.scope)).sorted()
    let below = try EntityTable.all(scopes, in: tx).filter { $0.rootID != $0.id }
    guard !below.isEmpty else { return events }
    let roots = Dictionary(uniqueKeysWithValues: below.map { ($0.id, $0.rootID) })
    return events.map { event in
      guard let root = roots[event.event.scope] else { return event }
      var event = event
      event.event.data = EventData.joined(
        event.event.data,
        EventData(["holderId": event.event.scope]).text
      )
      event.event.scope = root
      return event
    }
  }

  /// Queues events for the webhooks that want them; how many deliveries that makes.
  private static func queue(
    _ events: [WebhookEvent],
    in tx: borrowing WriteTransaction
  ) throws -> Int {
    let system = Forest.systemIdentifier
    let scopes = Set(events.map(\.event.scope))
    let isForAll = events.contains { $0.event.type == resyncType }
    let webhooks =
      isForAll
      ? try WebhookTable.all(in: tx)
      : try WebhookTable.all(hearingOf: scopes, system: system, in: tx)
    var count = 0
    for event in events {
      let isForAll = event.event.type == resyncType
      let receivers = webhooks.filter { webhook in
        isForAll && webhook.state != .unconfirmed
          || webhook.wants(event.event, system: system)
      }
      guard !receivers.isEmpty else { continue }
      let sequence = try WebhookEventTable.insert(event, in: tx)
      for webhook in receivers {
        try DeliveryTable.queue(sequence, lane: event.lane, to: webhook.id, now: tx.now, in: tx)
        count += 1
      }
    }
    return count
  }

  private static let resyncType = "webhook.resync"

  /// Has the webhooks that missed events of a service read the lists again, those that will not hear of it anyway.
  ///
  /// For receivers that were away, or paused, for longer than events are kept.
  static func queueResync(
    for missed: [String: Set<String>],
    _ identifiers: IdentifierFactory,
    in tx: borrowing WriteTransaction
  ) throws {
    for (source, webhooks) in missed.sorted(by: { $0.key < $1.key }) {
      let unaware = try webhooks.sorted().filter { webhook in
        try !DeliveryTable.isWaiting(resyncType, from: source, for: webhook, in: tx)
      }
      guard !unaware.isEmpty else { continue }
      let event = resync(source, at: tx.now, id: identifiers.make(.event))
      let sequence = try WebhookEventTable.insert(event, in: tx)
      for webhook in unaware {
        try DeliveryTable.queue(sequence, lane: event.lane, to: webhook, now: tx.now, in: tx)
      }
    }
  }

  /// The event that says that others are gone.
  private static func resync(
    _ source: String,
    at instant: Int64,
    sequence: Int64 = 0,
    id: String
  ) -> WebhookEvent {
    WebhookEvent(
      id: id,
      source: source,
      event: Event(
        sequence: sequence,
        recordedAt: instant,
        type: resyncType,
        object: "",
        scope: "",
        userID: "",
        actor: "",
        requestID: "",
        data: EventData(["source": source]).text
      )
    )
  }
}
