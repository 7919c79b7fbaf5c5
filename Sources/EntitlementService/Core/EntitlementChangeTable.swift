internal import ServiceKit

/// An entry of a subject's log as it is stored.
struct EntitlementChangeRecord: Hashable, Sendable {
  /// The version of the subject, and where in it: what was done comes before what the clock does.
  var place: EntitlementChangePlace
  var occurredAt: Int64
  var cause: ChangeCause
  var change: PartChange
  var requestID: String
}

/// Where a page of the log ended.
struct EntitlementChangePlace: Hashable, Sendable {
  var version: Int64
  var place: Int64
}

/// The table `entitlement_change`: what changed with each version of a subject, and what the clock changes
/// until the next.
///
/// What the clock will do is written ahead and shown from its instant on, so that nothing has to run then. A
/// new version takes out what was still ahead.
enum EntitlementChangeTable {
  /// Writes what a version of a subject changes, and what is ahead of it then.
  static func append(
    _ parts: [PartChange],
    because cause: ChangeCause,
    ahead due: [DueChange],
    of subject: Subject,
    version: UInt64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      DELETE FROM entitlement_change
      WHERE kind = ? AND id = ? AND is_planned = 1 AND occurs_at > ?
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .integer(tx.now)
    )
    let done = parts.map { DueChange(at: tx.now, cause: cause, change: $0) }
    for (place, entry) in (done + due).enumerated() {
      let record = EntitlementChangeRecord(
        place: EntitlementChangePlace(version: Int64(clamping: version), place: Int64(place)),
        occurredAt: entry.at,
        cause: entry.cause,
        change: entry.change,
        requestID: tx.requestID ?? ""
      )
      try insert(record, of: subject, isPlanned: place >= done.count, in: tx)
    }
  }

  /// A page of what has happened by `now`, newest first, before the given place.
  static func page(
    of subject: Subject,
    before place: EntitlementChangePlace?,
    at now: Int64,
    count: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [EntitlementChangeRecord] {
    let version = place?.version ?? .max
    return try tx.query(
      """
      SELECT version, place, occurs_at, cause, effect, part, name, ends_at, request_id
      FROM entitlement_change
      WHERE kind = ? AND id = ? AND (is_planned = 0 OR occurs_at <= ?)
        AND (version < ? OR (version = ? AND place < ?))
      ORDER BY version DESC, place DESC LIMIT ?
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .integer(now),
      .integer(version),
      .integer(version),
      .integer(place?.place ?? 0),
      .integer(count)
    ) { row in
      EntitlementChangeRecord(
        place: EntitlementChangePlace(version: row.integer(0), place: row.integer(1)),
        occurredAt: row.integer(2),
        // Rows are written by this program, or by an older one: it knows every name.
        cause: ChangeCause(rawValue: row.text(3)) ?? .service,
        change: PartChange(
          EntitlementPart(EntitlementPart.Kind(rawValue: row.text(5)) ?? .tier, row.text(6)),
          ChangeEffect(rawValue: row.text(4)) ?? .changed,
          endsAt: row.optionalInteger(7)
        ),
        requestID: row.text(8)
      )
    }
  }

  /// Forgets what happened before `instant` (milliseconds since 1970); how many entries.
  @discardableResult
  static func purge(before instant: Int64, from store: ServiceStore) async throws -> Int {
    try await store.purge(
      "entitlement_change",
      key: "kind, id, version, place",
      "occurs_at",
      before: instant
    )
  }

  private static func insert(
    _ record: EntitlementChangeRecord,
    of subject: Subject,
    isPlanned: Bool,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO entitlement_change
        (kind, id, version, place, occurs_at, is_planned, cause, effect, part, name, ends_at,
         request_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .integer(record.place.version),
      .integer(record.place.place),
      .integer(record.occurredAt),
      .boolean(isPlanned),
      .text(record.cause.rawValue),
      .text(record.change.effect.rawValue),
      .text(record.change.part.kind.rawValue),
      .text(record.change.part.name),
      .optionalInteger(record.change.endsAt),
      .text(record.requestID)
    )
  }
}
