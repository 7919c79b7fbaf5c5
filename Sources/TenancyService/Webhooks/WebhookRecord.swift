internal import ServiceKit

/// A webhook as the store keeps it.
struct WebhookRecord: Hashable, Sendable {
  /// How it stands; the raw value is what stores keep.
  enum State: String, Hashable, Sendable {
    /// No ping was answered yet; it gets nothing else.
    case unconfirmed
    case active
    /// The receiver fails: one delivery at a time tries it.
    case down
    case paused
  }

  /// Why it is paused; the raw value is what stores keep.
  enum PauseReason: String, Hashable, Sendable {
    case none = ""
    case requested
    case failing
    case gone
    case makerLostRole = "maker_lost_role"
  }

  /// Webhooks of one tenant, at most.
  static let countMax = 16
  /// How long the former secret signs beside the new one, in milliseconds.
  static let formerSecretLifetime: Int64 = 86_400_000

  var id: String
  /// The root of a tree, or the system.
  var entityID: String
  var url: String
  /// Its name for its managers; may be empty.
  var name = ""
  /// Sorted; none is all.
  var types: [String]
  /// The role as which it acts; empty for its maker's rights alone.
  var role: String
  /// Sealed; see `WebhookKeys`.
  var secret: [UInt8]
  var formerSecret: [UInt8]?
  var formerSecretUntil: Int64?
  var state: State
  var pausedBecause = PauseReason.none
  /// The user whose rights it has.
  var createdBy: String
  var createdAt: Int64
  var updatedAt: Int64
  var lastSuccessAt: Int64?
  /// Since when nothing but failures; nil without any.
  var failingSince: Int64?
  /// Failures since the last success.
  var failureCount: Int64 = 0
  /// The lane of these failures; `*` for several.
  var failedLane = ""
  /// Nothing is sent before this instant.
  var notBefore: Int64 = 0
  /// Hours of failing that its maker knows of; 0 for none.
  var toldHours: Int64 = 0
  /// The key that verifies signatures, of one that signs with a pair of keys; empty for others.
  var publicKey = ""

  /// Whether it signs with a pair of keys.
  var hasKeyPair: Bool { !publicKey.isEmpty }

  static let columns = RecordColumns<WebhookRecord>(
    "webhook",
    .text("id", \.id),
    .text("entity_id", \.entityID),
    .text("url", \.url),
    .text("name", \.name),
    .text("types", \.typesText),
    .text("role", \.role),
    .blob("secret", \.secret),
    .optionalBlob("former_secret", \.formerSecret),
    .optionalInteger("former_secret_until", \.formerSecretUntil),
    .text("state", \.state.rawValue),
    .text("paused_because", \.pausedBecause.rawValue),
    .text("created_by", \.createdBy),
    .integer("created_at", \.createdAt),
    .integer("updated_at", \.updatedAt),
    .optionalInteger("last_success_at", \.lastSuccessAt),
    .optionalInteger("failing_since", \.failingSince),
    .integer("failure_count", \.failureCount),
    .text("failed_lane", \.failedLane),
    .integer("not_before", \.notBefore),
    .integer("told_hours", \.toldHours),
    .text("public_key", \.publicKey)
  ) { row in
    WebhookRecord(
      id: row.text(),
      entityID: row.text(),
      url: row.text(),
      name: row.text(),
      types: row.text().split(separator: " ").map(String.init),
      role: row.text(),
      secret: row.blob(),
      formerSecret: row.optionalBlob(),
      formerSecretUntil: row.optionalInteger(),
      state: State(rawValue: row.text()) ?? .paused,
      pausedBecause: PauseReason(rawValue: row.text()) ?? .requested,
      createdBy: row.text(),
      createdAt: row.integer(),
      updatedAt: row.integer(),
      lastSuccessAt: row.optionalInteger(),
      failingSince: row.optionalInteger(),
      failureCount: row.integer(),
      failedLane: row.text(),
      notBefore: row.integer(),
      toldHours: row.integer(),
      publicKey: row.text()
    )
  }

  private var typesText: String { types.joined(separator: " ") }

  /// Whether it gets an event: one of its tenant and its types that happened since it was made, and not to itself.
  func wants(_ event: Event, system: String) -> Bool {
    let type = event.type
    guard state != .unconfirmed, event.recordedAt >= createdAt, event.object != id,
      entityID == system || entityID == event.scope && !event.scope.isEmpty
    else { return false }
    return types.isEmpty
      || types.contains { pattern in
        pattern == type || pattern.hasSuffix(".*") && type.hasPrefix(pattern.dropLast())
      }
  }

  /// Whether anything may be sent to it.
  func isSending(at now: Int64) -> Bool {
    (state == .active || state == .down) && notBefore <= now
  }

  /// The record after a delivery, or a ping, that the receiver took.
  func succeeded(at now: Int64) -> WebhookRecord {
    var record = self
    if state == .unconfirmed || state == .down { record.state = .active }
    record.lastSuccessAt = now
    (record.failingSince, record.failureCount, record.failedLane) = (nil, 0, "")
    (record.notBefore, record.toldHours) = (0, 0)
    return record
  }
}

/// The webhooks of a store.
enum WebhookTable {
  private static let columns = WebhookRecord.columns
  private static let changing = columns.update(
    "url",
    "types",
    "role",
    "secret",
    "former_secret",
    "former_secret_until",
    "state",
    "paused_because",
    "created_by",
    "updated_at",
    "last_success_at",
    "failing_since",
    "failure_count",
    "failed_lane",
    "not_before",
    "told_hours",
    "name",
    "public_key",
    where: "id = ?"
  )

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> WebhookRecord? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// Those of a tenant, the oldest first.
  static func all(of entityID: String, in tx: borrowing some Queryable) throws -> [WebhookRecord] {
    try tx.query(columns, "WHERE entity_id = ? ORDER BY created_at, id", .text(entityID))
  }

  /// Those that may want events of a tenant.
  static func all(
    hearingOf scopes: Set<String>,
    system: String,
    in tx: borrowing some Queryable
  ) throws -> [WebhookRecord] {
    let ids = scopes.union([system]).sorted()
    return try tx.query(
      columns,
      "WHERE entity_id IN (\(Placeholders.list(ids.count))) ORDER BY id",
      values: ids.map { .text($0) }
    )
  }

  /// Those of all tenants, and of the installation.
  static func all(in tx: borrowing some Queryable) throws -> [WebhookRecord] {
    try tx.query(columns, "ORDER BY id")
  }

  /// Those of tenants that are gone.
  static func orphans(
    system: String,
    in tx: borrowing some Queryable
  ) throws -> [WebhookRecord] {
    try tx.query(
      columns,
      "WHERE entity_id <> ? AND NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = entity_id)",
      .text(system)
    )
  }

  static func insert(_ record: WebhookRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(record, columns)
  }

  static func update(_ record: WebhookRecord, in tx: borrowing WriteTransaction) throws {
    try tx.update(record, changing, .text(record.id))
  }

  /// Deletes a webhook with all that waits for it, and its log.
  static func delete(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM webhook_delivery WHERE webhook_id = ?", .text(id))
    try tx.execute("DELETE FROM webhook_attempt WHERE webhook_id = ?", .text(id))
    try tx.execute("DELETE FROM webhook WHERE id = ?", .text(id))
  }
}
