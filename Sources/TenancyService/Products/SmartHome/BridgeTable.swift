internal import ServiceKit

/// The hardware bridge of each property: the one that began last, at whichever program of the service.
///
/// A watch looks here in the snapshot that it reads commands from, so that it sends none once another has begun.
enum BridgeTable {
  /// How long the row of a property that does not exist is kept, in milliseconds: a day.
  static let retention: Int64 = 86_400_000

  /// A watch takes over a property, or all of them if `propertyID` is empty; wakes the one before it.
  static func begin(
    _ watchID: String,
    inProperty propertyID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO bridge (property_id, watch_id, begun_at) VALUES (?, ?, ?)
      ON CONFLICT (property_id) DO UPDATE
      SET watch_id = excluded.watch_id, begun_at = excluded.begun_at
      """,
      .text(propertyID),
      .text(watchID),
      .integer(tx.now)
    )
    try tx.appendChange(kind: CommandRecord.changeKind, subject: "", scope: propertyID)
  }

  /// Whether no other watch has begun since.
  static func isCurrent(
    _ watchID: String,
    inProperty propertyID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    let current = try tx.first(
      "SELECT watch_id FROM bridge WHERE property_id = ?",
      .text(propertyID)
    ) { $0.text(0) }
    return current == nil || current == watchID
  }

  /// Forgets the bridges of properties that were deleted, or never existed.
  static func purge(_ core: TenancyCore, now: Int64) async throws {
    let abandoned = """
      property_id <> '' AND begun_at < ?
        AND NOT EXISTS (SELECT 1 FROM entity WHERE entity.id = bridge.property_id)
      """
    let before = SQLValue.integer(now - retention)
    let isNeeded = try await core.database.read { tx in
      try tx.first("SELECT 1 FROM bridge WHERE \(abandoned) LIMIT 1", before) { _ in true } ?? false
    }
    guard isNeeded else { return }
    try await core.changeOwn { tx in
      try tx.execute("DELETE FROM bridge WHERE \(abandoned)", before)
    }
  }
}
