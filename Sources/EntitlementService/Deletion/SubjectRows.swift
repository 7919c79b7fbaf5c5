internal import ServiceKit

/// The rows that a subject alone has: what goes when it is deleted.
enum SubjectRows {
  /// Tables of subjects, with the column that has the identifier.
  ///
  /// Add-ons and overrides go with their subscription.
  private static let tables = [
    ("subscription", "id"), ("subject_version", "id"), ("metered_usage", "id"),
    ("entitlement_change", "id"), ("redemption", "id"), ("scheduled_change", "subject_id"),
  ]

  /// Deletes what a subject is entitled to and has used, with the log of it.
  static func delete(_ subject: Subject, in tx: borrowing WriteTransaction) throws {
    for (table, column) in tables {
      try tx.execute(
        "DELETE FROM \(table) WHERE kind = ? AND \(column) = ?",
        .text(subject.kind.rawValue),
        .text(subject.id)
      )
    }
  }

  /// Deletes the points of a holder: all of its ledger, so that the sums of what is left stay right.
  static func deletePoints(of holder: String, in tx: borrowing WriteTransaction) throws {
    for table in [
      "points_entry", "points_account", "points_holder", "points_rule", "points_reward",
      "points_clock", "points_request", "purchase_points",
    ] {
      try tx.execute("DELETE FROM \(table) WHERE holder = ?", .text(holder))
    }
  }
}
