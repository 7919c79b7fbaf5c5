internal import ServiceKit

/// The table `metered_usage`: how much of a metered limit a subject has used in each window.
enum UsageTable {
  /// How long a window is kept after it began, in milliseconds: until no clock that was a little wrong can
  /// come back to it.
  static let lifetime: Int64 = 100 * 86_400_000

  /// The use in a window.
  static func used(
    _ key: String,
    by subject: Subject,
    in window: UsageWindow,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try tx.first(
      """
      SELECT used FROM metered_usage
      WHERE kind = ? AND id = ? AND feature = ? AND period = ? AND starts_at = ?
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(key),
      .text(window.period.rawValue),
      .integer(window.startsAt)
    ) { $0.integer(0) } ?? 0
  }

  /// Says what was used in a window.
  static func set(
    _ used: Int64,
    of key: String,
    by subject: Subject,
    in window: UsageWindow,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO metered_usage (kind, id, feature, period, starts_at, used)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (kind, id, feature, period, starts_at) DO UPDATE SET used = excluded.used
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(key),
      .text(window.period.rawValue),
      .integer(window.startsAt),
      .integer(used)
    )
  }

  /// Forgets windows that began before `instant` (milliseconds since 1970); how many.
  @discardableResult
  static func purge(before instant: Int64, from store: ServiceStore) async throws -> Int {
    try await store.database.purge(
      "metered_usage",
      "starts_at",
      before: instant,
      by: "kind, id, feature, period, starts_at"
    )
  }
}
