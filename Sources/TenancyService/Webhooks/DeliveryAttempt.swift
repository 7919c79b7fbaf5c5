internal import ServiceKit

/// An attempt to deliver an event, as the log of deliveries has it.
struct DeliveryAttempt: Hashable, Sendable {
  /// How it ended; the raw value is what stores keep.
  enum Outcome: String, CaseIterable, Hashable, Sendable {
    /// The receiver took it.
    case delivered
    /// It answered with another status than one of the 200s.
    case refused
    /// There was no answer.
    case unreachable
    /// Nothing was sent: the webhook may not view the object.
    case notAllowed = "not_allowed"
  }

  var sequence: Int64 = 0
  var webhookID: String
  var eventID: String
  var type: String
  var object: String
  var attemptedAt: Int64
  /// From 1.
  var attempt: Int64
  var isReplay: Bool
  var outcome: Outcome
  /// The receiver's; 0 without an answer.
  var status: Int
  /// In milliseconds.
  var duration: Int64

  static let columns = RecordColumns<DeliveryAttempt>(
    "webhook_attempt",
    .generated("sequence", \.sequence),
    .text("webhook_id", \.webhookID),
    .text("event_id", \.eventID),
    .text("type", \.type),
    .text("object", \.object),
    .integer("attempted_at", \.attemptedAt),
    .integer("attempt", \.attempt),
    .boolean("is_replay", \.isReplay),
    .text("outcome", \.outcome.rawValue),
    .integer("status", \.status64),
    .integer("duration_ms", \.duration)
  ) { row in
    DeliveryAttempt(
      sequence: row.integer(),
      webhookID: row.text(),
      eventID: row.text(),
      type: row.text(),
      object: row.text(),
      attemptedAt: row.integer(),
      attempt: row.integer(),
      isReplay: row.boolean(),
      outcome: Outcome(rawValue: row.text()) ?? .unreachable,
      status: Int(row.integer()),
      duration: row.integer()
    )
  }

  private var status64: Int64 { Int64(status) }

  /// The type of pings in the log.
  static let pingType = "webhook.ping"

  /// Pings of a webhook since an instant.
  static func pingCount(
    of webhookID: String,
    since instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try tx.first(
      """
      SELECT count(*) FROM webhook_attempt WHERE webhook_id = ? AND attempted_at > ? AND type = ?
      """,
      .text(webhookID),
      .integer(instant),
      .text(pingType)
    ) { $0.integer(0) } ?? 0
  }

  /// The newest first, before one.
  static func list(
    of webhookID: String,
    failuresOnly: Bool,
    outcome: Outcome? = nil,
    before sequence: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [DeliveryAttempt] {
    let failed = failuresOnly ? "AND outcome <> 'delivered'" : ""
    let ended = outcome == nil ? "" : "AND outcome = ?"
    return try tx.query(
      columns,
      """
      WHERE webhook_id = ? AND sequence < ? \(failed) \(ended) ORDER BY sequence DESC LIMIT ?
      """,
      values: [.text(webhookID), .integer(sequence)]
        + (outcome.map { [.text($0.rawValue)] } ?? []) + [.integer(limit)]
    )
  }
}

extension DeliveryRules.Answer {
  /// The attempt that it ends.
  var outcome: DeliveryAttempt.Outcome {
    isSuccess ? .delivered : self == .none ? .unreachable : .refused
  }
}
