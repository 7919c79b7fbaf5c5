internal import ServiceKit

/// An event on its way to a webhook.
struct Delivery: Hashable, Sendable {
  var webhookID: String
  /// The event.
  var sequence: Int64
  var lane: String
  /// Attempts that failed.
  var attempts: Int64 = 0
  /// When it is tried next; nil while another one of its lane is before it, and when it was given up.
  var dueAt: Int64?
  /// Whether somebody asked for it to be sent again.
  var isReplay = false
  var isGivenUp = false

  static let columns = RecordColumns<Delivery>(
    "webhook_delivery",
    .text("webhook_id", \.webhookID),
    .integer("sequence", \.sequence),
    .text("lane", \.lane),
    .integer("attempts", \.attempts),
    .optionalInteger("due_at", \.dueAt),
    .boolean("is_replay", \.isReplay),
    .boolean("is_given_up", \.isGivenUp)
  ) { row in
    Delivery(
      webhookID: row.text(),
      sequence: row.integer(),
      lane: row.text(),
      attempts: row.integer(),
      dueAt: row.optionalInteger(),
      isReplay: row.boolean(),
      isGivenUp: row.boolean()
    )
  }
}

/// How much waits for a webhook.
struct WaitingDeliveries: Sendable {
  var count: Int64 = 0
  var givenUpCount: Int64 = 0
  /// When the oldest of them happened.
  var oldest: Int64?
  /// When the oldest happened of those that were not given up.
  var oldestDue: Int64?
}

/// The deliveries that wait, lane by lane: only the first of a lane is due at an instant.
enum DeliveryTable {
  private static let columns = Delivery.columns

  /// The first of a lane.
  ///
  /// It and `holdLane` name the index because SQLite would read all that waits for the webhook: it takes any index that
  /// begins with the webhook for as good as the primary key.
  static let findFirst = """
    SELECT \(columns.list(of: "d")) FROM webhook_delivery d INDEXED BY webhook_delivery_by_lane
    WHERE webhook_id = ? AND lane = ? AND is_given_up = 0 ORDER BY sequence LIMIT 1
    """

  /// Has nothing of a lane due.
  static let holdLane = """
    UPDATE webhook_delivery INDEXED BY webhook_delivery_by_lane SET due_at = NULL
    WHERE webhook_id = ? AND lane = ? AND due_at IS NOT NULL
    """

  /// The news, or the replays, that are due for all webhooks but some.
  ///
  /// Read in the order of the index, so that of a long queue no more is read than comes.
  static func findDue(exceptCount: Int) -> String {
    let others = exceptCount == 0 ? "" : "AND w.id NOT IN (\(Placeholders.list(exceptCount)))"
    return """
      SELECT \(columns.list(of: "d")) FROM webhook_delivery d CROSS JOIN webhook w
      WHERE d.is_replay = ? AND d.due_at <= ? AND w.id = d.webhook_id
        AND w.state IN ('active', 'down') AND w.not_before <= ? \(others)
      ORDER BY d.due_at, d.sequence LIMIT ?
      """
  }

  /// Queues an event for a webhook, behind all of its lane; one that waits already stays.
  static func queue(
    _ sequence: Int64,
    lane: String,
    to webhookID: String,
    isReplay: Bool = false,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let known = try tx.first(
      columns,
      "WHERE webhook_id = ? AND sequence = ?",
      .text(webhookID),
      .integer(sequence)
    )
    if let known {
      guard known.isGivenUp else { return }
      try delete(known, in: tx)
    }
    try tx.insert(
      Delivery(webhookID: webhookID, sequence: sequence, lane: lane, isReplay: isReplay),
      columns
    )
    try moveUp(lane, of: webhookID, now: now, in: tx)
  }

  /// Those that are due, of webhooks that anything may be sent to, the longest due first and news before replays.
  static func due(
    now: Int64,
    except busy: Set<String>,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Delivery] {
    let news = try due(now: now, isReplay: false, except: busy.sorted(), limit: limit, in: tx)
    guard news.count < limit else { return news }
    let left = limit - news.count
    return news + (try due(now: now, isReplay: true, except: busy.sorted(), limit: left, in: tx))
  }

  private static func due(
    now: Int64,
    isReplay: Bool,
    except busy: [String],
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Delivery] {
    try tx.query(
      findDue(exceptCount: busy.count),
      values: [.boolean(isReplay), .integer(now), .integer(now)] + busy.map { .text($0) }
        + [.integer(limit)]
    ) { try columns.record($0) }
  }

  static func find(
    _ delivery: Delivery,
    in tx: borrowing some Queryable
  ) throws -> Delivery? {
    try tx.first(
      columns,
      "WHERE webhook_id = ? AND sequence = ?",
      .text(delivery.webhookID),
      .integer(delivery.sequence)
    )
  }

  /// How much waits for a webhook, or for all of them.
  static func waiting(
    for webhookID: String? = nil,
    in tx: borrowing some Queryable
  ) throws -> WaitingDeliveries {
    try tx.query(
      """
      SELECT count(*), count(CASE WHEN d.is_given_up = 1 THEN 1 END), min(e.recorded_at),
        min(CASE WHEN d.is_given_up = 0 THEN e.recorded_at END)
      FROM webhook_delivery d JOIN webhook_event e ON e.sequence = d.sequence
      \(webhookID == nil ? "" : "WHERE d.webhook_id = ?")
      """,
      values: webhookID.map { [.text($0)] } ?? []
    ) {
      WaitingDeliveries(
        count: $0.integer(0),
        givenUpCount: $0.integer(1),
        oldest: $0.optionalInteger(2),
        oldestDue: $0.optionalInteger(3)
      )
    }.first ?? WaitingDeliveries()
  }

  /// Those that were given up, the oldest first.
  static func givenUp(
    of webhookID: String,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Delivery] {
    try tx.query(
      columns,
      "WHERE webhook_id = ? AND is_given_up = 1 ORDER BY sequence LIMIT ?",
      .text(webhookID),
      .integer(limit)
    )
  }

  /// Takes a delivery away; the next of its lane is due.
  static func finish(_ delivery: Delivery, now: Int64, in tx: borrowing WriteTransaction) throws {
    try delete(delivery, in: tx)
    try moveUp(delivery.lane, of: delivery.webhookID, now: now, in: tx)
  }

  /// Has a delivery tried again at an instant; its lane waits.
  static func postpone(
    _ delivery: Delivery,
    until due: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE webhook_delivery SET attempts = attempts + 1, due_at = ?
      WHERE webhook_id = ? AND sequence = ? AND due_at IS NOT NULL
      """,
      .integer(due),
      .text(delivery.webhookID),
      .integer(delivery.sequence)
    )
  }

  /// Has a delivery wait that could not be tried.
  static func hold(
    _ delivery: Delivery,
    until due: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE webhook_delivery SET due_at = ?
      WHERE webhook_id = ? AND sequence = ? AND due_at IS NOT NULL
      """,
      .integer(due),
      .text(delivery.webhookID),
      .integer(delivery.sequence)
    )
  }

  /// Gives a delivery up, so that its lane goes on; it is kept for `Webhooks/Replay`.
  static func giveUp(_ delivery: Delivery, now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE webhook_delivery SET attempts = attempts + 1, due_at = NULL, is_given_up = 1
      WHERE webhook_id = ? AND sequence = ?
      """,
      .text(delivery.webhookID),
      .integer(delivery.sequence)
    )
    try moveUp(delivery.lane, of: delivery.webhookID, now: now, in: tx)
  }

  /// Has everything that waits for its next attempt tried at once: the receiver is there again.
  static func hasten(_ webhookID: String, now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE webhook_delivery SET due_at = ? WHERE webhook_id = ? AND due_at > ?",
      .integer(now),
      .text(webhookID),
      .integer(now)
    )
  }

  /// Drops the deliveries of an event; the webhooks that waited for it.
  static func drop(_ sequence: Int64, in tx: borrowing WriteTransaction) throws -> [String] {
    let waiting = try tx.query(columns, "WHERE sequence = ?", .integer(sequence))
    for delivery in waiting { try finish(delivery, now: tx.now, in: tx) }
    return waiting.map(\.webhookID)
  }

  /// Whether an event of a type waits for a webhook.
  static func isWaiting(
    _ type: String,
    from source: String,
    for webhookID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.first(
      """
      SELECT 1 FROM webhook_delivery d JOIN webhook_event e ON e.sequence = d.sequence
      WHERE d.webhook_id = ? AND e.type = ? AND e.source = ? LIMIT 1
      """,
      .text(webhookID),
      .text(type),
      .text(source)
    ) { _ in true } ?? false
  }

  /// Drops what happened before an instant from what waits for a webhook; how many there were, at most `limit`.
  static func drop(
    before instant: Int64,
    of webhookID: String,
    limit: Int,
    in tx: borrowing WriteTransaction
  ) throws -> Int {
    let rows = try tx.query(
      """
      SELECT \(columns.list(of: "d")) FROM webhook_delivery d
      JOIN webhook_event e ON e.sequence = d.sequence
      WHERE d.webhook_id = ? AND e.recorded_at < ? ORDER BY d.sequence LIMIT ?
      """,
      values: [.text(webhookID), .integer(instant), .integer(limit)]
    ) { try columns.record($0) }
    for delivery in rows { try finish(delivery, now: tx.now, in: tx) }
    return rows.count
  }

  private static func delete(_ delivery: Delivery, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM webhook_delivery WHERE webhook_id = ? AND sequence = ?",
      .text(delivery.webhookID),
      .integer(delivery.sequence)
    )
  }

  /// Makes the first of a lane due, and no other one.
  private static func moveUp(
    _ lane: String,
    of webhookID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let first = try tx.first(findFirst, .text(webhookID), .text(lane)) { try columns.record($0) }
    guard let first, first.dueAt == nil else { return }
    try tx.execute(holdLane, .text(webhookID), .text(lane))
    try tx.execute(
      "UPDATE webhook_delivery SET due_at = ? WHERE webhook_id = ? AND sequence = ?",
      .integer(now),
      .text(webhookID),
      .integer(first.sequence)
    )
  }
}
