extension StoreTransaction where Self: ~Copyable {
  /// The newest change that this transaction sees; 0 without any.
  public func newestRevision() throws -> Int64 {
    try first(StoreSchema.newestRevisionQuery) { $0.integer(0) } ?? 0
  }

  /// The first changes of a kind and scope after a revision, in order; nil when the log no longer goes
  /// back there, or has not come that far.
  ///
  /// For watches of a small part of a large store. The service needs an index for it, in its own
  /// migrations: `… ON change_log (scope, revision) WHERE kind = '…'`. SQLite uses it only if the
  /// statement has the kind as a literal (sqlite.org/partialindex.html, section 3), so the kind is a
  /// part of the program.
  public func changes(
    _ kind: StaticString,
    scope: String,
    after revision: Int64,
    limit: Int
  ) throws -> [Change]? {
    let purged = try first("SELECT purged_revision FROM store_version") { $0.integer(0) }
    guard let purged, purged <= revision, revision <= (try newestRevision()) else { return nil }
    return try query(
      Change.columns,
      "WHERE kind = '\(kind)' AND scope = ? AND revision > ? ORDER BY revision LIMIT ?",
      .text(scope),
      .integer(revision),
      .integer(limit)
    )
  }
}
