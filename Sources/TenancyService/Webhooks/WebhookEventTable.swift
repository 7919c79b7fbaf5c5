internal import ServiceKit

/// An event that some webhook waits for, as it came from its service.
struct WebhookEvent: Hashable, Sendable {
  /// The order in which events came here, from all services.
  var sequence: Int64 = 0
  /// Identifier, `evt_…`.
  var id: String
  /// The service that it came from: `tenancy`.
  var source: String
  /// The event; its sequence is that of the source.
  var event: Event

  /// Those about one object come one after the other.
  ///
  /// Of one service: two services have no common order.
  var lane: String { "\(source) \(event.object)" }

  static let columns = RecordColumns<WebhookEvent>(
    "webhook_event",
    .generated("sequence", \.sequence),
    .text("id", \.id),
    .text("source", \.source),
    .integer("source_sequence", \.event.sequence),
    .integer("recorded_at", \.event.recordedAt),
    .text("type", \.event.type),
    .text("object", \.event.object),
    .text("scope", \.event.scope),
    .text("user_id", \.event.userID),
    .text("actor", \.event.actor),
    .text("request_id", \.event.requestID),
    .text("data", \.event.data)
  ) { row in
    WebhookEvent(
      sequence: row.integer(),
      id: row.text(),
      source: row.text(),
      event: Event(
        sequence: row.integer(),
        recordedAt: row.integer(),
        type: row.text(),
        object: row.text(),
        scope: row.text(),
        userID: row.text(),
        actor: row.text(),
        requestID: row.text(),
        data: row.text()
      )
    )
  }
}

/// The events that webhooks wait for.
enum WebhookEventTable {
  static func find(
    _ sequence: Int64,
    in tx: borrowing some Queryable
  ) throws -> WebhookEvent? {
    try tx.first(WebhookEvent.columns, "WHERE sequence = ?", .integer(sequence))
  }

  static func find(id: String, in tx: borrowing some Queryable) throws -> WebhookEvent? {
    try tx.first(WebhookEvent.columns, "WHERE id = ?", .text(id))
  }

  /// Those of an interval, in order.
  static func list(
    from start: Int64,
    until end: Int64,
    after sequence: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [WebhookEvent] {
    try tx.query(
      WebhookEvent.columns,
      "WHERE recorded_at >= ? AND recorded_at < ? AND sequence > ? ORDER BY sequence LIMIT ?",
      .integer(start),
      .integer(end),
      .integer(sequence),
      .integer(limit)
    )
  }

  /// Adds an event; its number.
  static func insert(_ event: WebhookEvent, in tx: borrowing WriteTransaction) throws -> Int64 {
    try tx.insert(event, WebhookEvent.columns)
    guard
      let sequence = try tx.first(
        "SELECT sequence FROM webhook_event WHERE id = ?",
        .text(event.id),
        row: { $0.integer(0) }
      )
    else { throw StoreError.statement("an event that was inserted is not there") }
    return sequence
  }

  /// Drops the events about a person whose account is erased, and has those behind them move up; how many
  /// deliveries there were.
  @discardableResult
  static func drop(about userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    let sequences = try tx.query(
      "SELECT sequence FROM webhook_event WHERE user_id = ?",
      .text(userID)
    ) { $0.integer(0) }
    var count = 0
    for sequence in sequences { count += try DeliveryTable.drop(sequence, in: tx).count }
    try tx.execute("DELETE FROM webhook_event WHERE user_id = ?", .text(userID))
    return count
  }

  /// Drops what happened before an instant, with what still waits for it; at most `limit` events.
  static func purge(
    before instant: Int64,
    limit: Int,
    in tx: borrowing WriteTransaction
  ) throws -> PurgedEvents {
    let rows = try tx.query(
      "SELECT sequence, source FROM webhook_event WHERE recorded_at < ? ORDER BY recorded_at LIMIT ?",
      .integer(instant),
      .integer(limit)
    ) { ($0.integer(0), $0.text(1)) }
    var purged = PurgedEvents(eventCount: rows.count)
    for (sequence, source) in rows {
      let webhooks = try DeliveryTable.drop(sequence, in: tx)
      purged.deliveryCount += webhooks.count
      if !webhooks.isEmpty { purged.missed[source, default: []].formUnion(webhooks) }
      try tx.execute("DELETE FROM webhook_event WHERE sequence = ?", .integer(sequence))
    }
    return purged
  }

  /// Whether there are events from before an instant.
  static func has(before instant: Int64, in tx: borrowing some Queryable) throws -> Bool {
    try tx.first(
      "SELECT 1 FROM webhook_event WHERE recorded_at < ? LIMIT 1",
      .integer(instant)
    ) { _ in true } ?? false
  }
}

/// Counts events that were dropped because of their age.
struct PurgedEvents: Sendable {
  var eventCount = 0
  /// Deliveries that still waited.
  var deliveryCount = 0
  /// The webhooks that missed some, by the services that the events came from.
  var missed: [String: Set<String>] = [:]
}
