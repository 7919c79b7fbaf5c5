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

/// An entry of a log that was written ahead, and whose it is.
struct DueEntry: Hashable, Sendable {
  let subject: Subject
  let record: EntitlementChangeRecord
}

/// The table `entitlement_change`: what changed with each version of a subject, and what the clock changes
/// until the next.
///
/// What the clock will do is written ahead and shown from its instant on, so that nothing has to run then. A
/// new version takes out what was still ahead.
enum EntitlementChangeTable {
  private static let columns = RecordColumns<EntitlementChangeRecord>(
    "entitlement_change",
    beside: ["kind", "id", "is_planned"],
    .integer("version", \.place.version),
    .integer("place", \.place.place),
    .integer("occurs_at", \.occurredAt),
    .text("cause", \.cause.rawValue),
    .text("part", \.change.part.kind.rawValue),
    .text("name", \.change.part.name),
    .text("effect", \.change.effect.rawValue),
    .optionalInteger("ends_at", \.change.endsAt),
    .text("request_id", \.requestID)
  ) { row in
    EntitlementChangeRecord(
      place: EntitlementChangePlace(version: row.integer(), place: row.integer()),
      occurredAt: row.integer(),
      // Rows are written by this program, or by an older one: it knows every name.
      cause: ChangeCause(rawValue: row.text()) ?? .service,
      change: PartChange(
        EntitlementPart(EntitlementPart.Kind(rawValue: row.text()) ?? .tier, row.text()),
        ChangeEffect(rawValue: row.text()) ?? .changed,
        endsAt: row.optionalInteger()
      ),
      requestID: row.text()
    )
  }

  /// Writes what a version of a subject changes, and what is ahead of it then.
  static func append(
    _ parts: [PartChange],
    because cause: ChangeCause,
    ahead due: [DueChange],
    of subject: Subject,
    version: UInt64,
    in tx: borrowing WriteTransaction
  ) throws {
    let (kind, id) = subject.stored
    try tx.execute(
      "DELETE FROM entitlement_change WHERE kind = ? AND id = ? AND is_planned = 1 AND occurs_at > ?",
      kind,
      id,
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
      try tx.insert(record, columns, beside: kind, id, .boolean(place >= done.count))
    }
  }

  /// A page of what has happened by `now`, behind the given place.
  static func page(
    of subject: Subject,
    after place: EntitlementChangePlace?,
    _ direction: ListDirection,
    at now: Int64,
    skipping skippedCount: Int,
    count: Int,
    in tx: borrowing some Queryable
  ) throws -> [EntitlementChangeRecord] {
    let version = place?.version ?? direction.firstNumber
    let (comparison, keyword) = (direction.comparison, direction.keyword)
    return try tx.query(
      columns,
      """
      WHERE kind = ? AND id = ? AND (is_planned = 0 OR occurs_at <= ?)
        AND (version \(comparison) ? OR (version = ? AND place \(comparison) ?))
      ORDER BY version \(keyword), place \(keyword) LIMIT ? OFFSET ?
      """,
      subject.stored.kind,
      subject.stored.id,
      .integer(now),
      .integer(version),
      .integer(version),
      .integer(place?.place ?? 0),
      .integer(count),
      .integer(skippedCount)
    )
  }

  /// Forgets what happened before `instant` (milliseconds since 1970); how many entries.
  @discardableResult
  static func purge(before instant: Int64, from store: ServiceStore) async throws -> Int {
    try await store.database.purge(
      "entitlement_change",
      "occurs_at",
      before: instant,
      by: "kind, id, version, place"
    )
  }

  /// The index of what the clock has yet to change.
  static let dueMigration = Migration(
    version: 15,
    sql: """
      CREATE INDEX entitlement_change_due ON entitlement_change (occurs_at) WHERE is_planned = 1;
      """
  )

  /// Entries that were written ahead and are due, those of a subject and instant together.
  static func due(
    at now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [DueEntry] {
    // The flag is a literal, as the partial index has it (sqlite.org/partialindex.html, section 3).
    try tx.query(
      """
      SELECT kind, id, \(columns.list(of: "entitlement_change")) FROM entitlement_change
      WHERE is_planned = 1 AND occurs_at <= ?
      ORDER BY occurs_at, kind, id, version, place LIMIT ?
      """,
      .integer(now),
      .integer(limit)
    ) { row in
      DueEntry(
        // Rows are written by this program, or by an older one: it knows every kind.
        subject: Subject(Subject.Kind(rawValue: row.text(0)) ?? .user, row.text(1)),
        record: try columns.record(row, at: 2)
      )
    }
  }

  /// Notes that the event of an entry is written; the entry stays in the log.
  static func markDone(_ entry: DueEntry, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE entitlement_change SET is_planned = 0
      WHERE kind = ? AND id = ? AND version = ? AND place = ?
      """,
      entry.subject.stored.kind,
      entry.subject.stored.id,
      .integer(entry.record.place.version),
      .integer(entry.record.place.place)
    )
  }
}
