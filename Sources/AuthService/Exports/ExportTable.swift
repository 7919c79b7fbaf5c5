internal import ServiceKit

/// How often users have exported their accounts, in the store.
enum ExportTable {
  static let columns = RecordColumns<ExportAllowance>(
    "account_export",
    beside: ["user_id"],
    .integer("window_began_at", \.windowBegan),
    .integer("begun_count", \.begunCount),
    .optionalInteger("completed_at", \.completed)
  ) { row in
    ExportAllowance(
      windowBegan: row.integer(),
      begunCount: row.integer(),
      completed: row.optionalInteger()
    )
  }

  private static let saving = columns.upsert(on: "user_id")

  static func find(_ userID: String, in tx: borrowing some Queryable) throws -> ExportAllowance? {
    try tx.first(columns, "WHERE user_id = ?", .text(userID))
  }

  static func save(
    _ allowance: ExportAllowance,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.save(allowance, saving, beside: .text(userID))
  }
}
