internal import ServiceKit

/// Revisions of entities that show something in a list of their own, and can be set by it: `tenantUserIds`.
///
/// The entity itself stays as it is, and so does what anyone may do to it: its revision tells people who saw
/// the list that it has changed. So there is no entry in the change log, nothing for the past to keep, and the
/// revision is that of the change of the role, the link or the child.
extension EntityTable {
  /// Gives an entity the revision of a change of its list.
  static func touch(_ id: String, revision: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE entity SET revision = ?, updated_at = ? WHERE id = ?",
      values: [.integer(revision), .integer(tx.now), .text(id)]
    )
  }

  /// The revision of an entity and when it changed last; nil for one that is gone.
  static func touched(
    _ id: String,
    in tx: borrowing WriteTransaction
  ) throws -> (revision: Int64, at: Int64)? {
    try tx.first("SELECT revision, updated_at FROM entity WHERE id = ?", .text(id)) {
      ($0.integer(0), $0.integer(1))
    }
  }

  /// Gives the parents of an entity that came, went or moved its revision, as far as they list such children.
  static func touch(
    parents ids: Set<String>,
    of type: String,
    revision: Int64,
    _ products: [any Product.Type],
    in tx: borrowing WriteTransaction
  ) throws {
    let types = products.flatMap { $0.parents(listing: type) }
    guard !types.isEmpty, !ids.isEmpty else { return }
    try tx.execute(
      """
      UPDATE entity SET revision = ?, updated_at = ?
      WHERE id IN (\(Placeholders.list(ids.count))) AND type IN (\(Placeholders.list(types.count)))
      """,
      values: [.integer(revision), .integer(tx.now)] + (ids.sorted() + types).map { .text($0) }
    )
  }
}
