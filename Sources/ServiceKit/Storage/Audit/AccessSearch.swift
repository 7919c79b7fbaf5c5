package import PeerContracts

/// The acts of operators and support people on an object, as those whom it concerns may list them.
///
/// Records of `operator.read` name the method in their detail, and behind it the entity that was looked at when the
/// record is that of the entity's tenant.
package struct AccessSearch: Sendable {
  /// The action of reads that have no name of their own.
  package static let read = "operator.read"

  /// The object: a user, or an entity.
  let object: String
  /// The actions that are shown.
  let actions: [String]

  /// Looks for `actions` that were done to `object`, by people other than itself.
  package init(of object: String, actions: [String] = [Self.read]) {
    (self.object, self.actions) = (object, actions)
  }

  /// One page of what was found.
  package struct Page: Sendable {
    /// Newest first.
    package let records: [Audit_V1.OperatorAccess]
    /// Where the next page begins, exclusive; nil on the last one.
    package let next: Int64?
  }

  /// Reads a page, which begins before a place in the log.
  ///
  /// The object is a range of an index, of which one call looks at as much as `AuditSearch` does.
  package func page(_ asked: RequestedPage, in tx: borrowing some Queryable) throws -> Page {
    let sequence = asked.cursor.flatMap { Int64($0[0]) } ?? .max
    let limit = asked.size
    let places = actions.indices.map { "?\($0 + 5)" }.joined(separator: ", ")
    let scanned = { (columns: String) in
      """
      SELECT \(columns) FROM audit_log WHERE object = ?1 AND sequence < ?2
      ORDER BY sequence DESC LIMIT \(AuditSearch.scanCountMax)
      """
    }
    let values: [SQLValue] = [
      .text(object), .integer(sequence), .text(AuditActor.user(object).name), .integer(limit + 1),
    ]
    let found = try tx.query(
      """
      SELECT * FROM (\(scanned(StoredAuditRecord.columns.list))) AS scanned
      WHERE action IN (\(places)) AND actor <> ?3 AND substr(actor, 1, 5) = 'user:'
        AND outcome = 'done'
      ORDER BY sequence DESC LIMIT ?4
      """,
      values: values + actions.map { .text($0) }
    ) { try StoredAuditRecord.columns.record($0) }
    let page = found.prefix(limit).map { Audit_V1.OperatorAccess($0) }
    if found.count > limit { return Page(records: page, next: found[limit - 1].sequence) }
    let edge = try tx.first(
      "SELECT coalesce(min(sequence), 0), count(*) FROM (\(scanned("sequence"))) AS scanned",
      .text(object),
      .integer(sequence)
    ) { row in (sequence: row.integer(0), count: row.integer(1)) }
    guard let edge, edge.count == AuditSearch.scanCountMax else {
      return Page(records: page, next: nil)
    }
    return Page(records: page, next: edge.sequence)
  }
}

extension Audit_V1.OperatorAccess {
  fileprivate init(_ stored: StoredAuditRecord) {
    let record = stored.record
    let words = record.action == AccessSearch.read ? record.detail.split(separator: " ") : []
    self.init(
      recordedAt: .init(milliseconds: stored.recordedAt),
      operatorId: AuditActor.userID(of: record.actor) ?? "",
      action: record.action,
      method: words.first.map { String($0) } ?? "",
      object: words.count > 1 ? String(words[1]) : record.object,
      requestId: record.requestID
    )
  }
}

extension Audit_V1.OperatorAccess: ShowsPeople {
  package mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    _ = body(operatorId, &operatorName)
  }
}
