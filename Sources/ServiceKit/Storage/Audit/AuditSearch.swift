package import PeerContracts

/// An operator's search in the audit log of a service.
package struct AuditSearch: Sendable {
  /// Records that one call looks at, at most: it holds a reader's turn as long as that takes.
  static let scanCountMax = 10_000
  /// How far a clock may have been set back, in milliseconds: records that are older than the beginning of the
  /// search by more than that end it.
  private static let clockSlack: Int64 = 86_400_000

  private let request: Audit_V1.SearchAuditRequest

  /// Takes a request as it came.
  package init(_ request: Audit_V1.SearchAuditRequest) { self.request = request }

  /// One page of what was found.
  package struct Page: Sendable {
    /// Newest first.
    package let entries: [Audit_V1.AuditEntry]
    /// Where the next page begins, exclusive; nil on the last one.
    package let next: Int64?
  }

  /// Everything that says what is listed, as one text to bind page tokens to.
  package var filter: String {
    let since = request.since?.milliseconds ?? .min
    let until = request.until?.milliseconds ?? .max
    let fields = [request.actor, request.object, request.action, request.requestId]
    let texts = fields.map { "\($0.utf8.count):\($0)" }.joined()
    return "\(texts) \(since) \(until) \(request.refusedOnly)"
  }

  /// The terms of the search, for the record that somebody searched.
  package var summary: String {
    [
      ("actor", request.actor), ("object", request.object), ("action", request.action),
      ("request", request.requestId),
    ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The object that is searched for; empty for all.
  package var object: String { request.object }

  /// The object and the user who acted, if the search names them: it is a look at both.
  package var subjects: [String] {
    Set([request.object, AuditActor.userID(of: request.actor) ?? ""]).subtracting([""]).sorted()
  }

  /// The page that the request asks for, before its token is looked at.
  package var asked: RequestedPage.Asked { .init(size: request.pageSize, token: request.pageToken) }

  /// Reads a page, which begins before a place in the log.
  ///
  /// The caller or the object, if given, is a range of an index; the rest is looked at record by record, as many
  /// as one call may.
  package func page(_ asked: RequestedPage, in tx: borrowing some Queryable) throws -> Page {
    let sequence = asked.cursor.flatMap { Int64($0[0]) } ?? .max
    let limit = asked.size
    let (anchor, name) =
      !request.object.isEmpty
      ? ("object = ?1", request.object)
      : !request.actor.isEmpty ? ("actor = ?1", request.actor) : ("?1 = ''", "")
    let scanned = { (columns: String) in
      """
      SELECT \(columns) FROM audit_log WHERE \(anchor) AND sequence < ?2
      ORDER BY sequence DESC LIMIT \(Self.scanCountMax)
      """
    }
    let since = request.since?.milliseconds ?? .min
    let found = try tx.query(
      """
      SELECT * FROM (\(scanned(StoredAuditRecord.columns.list))) AS scanned
      WHERE (?3 = '' OR actor = ?3) AND (?4 = '' OR substr(action, 1, length(?4)) = ?4)
        AND (?5 = '' OR request_id = ?5) AND recorded_at >= ?6 AND recorded_at < ?7
        AND (?8 = 0 OR outcome = ?9)
      ORDER BY sequence DESC LIMIT ?10
      """,
      .text(name),
      .integer(sequence),
      .text(request.actor),
      .text(request.action),
      .text(request.requestId),
      .integer(since),
      .integer(request.until?.milliseconds ?? .max),
      .boolean(request.refusedOnly),
      .text(AuditRecord.Outcome.refused.rawValue),
      .integer(limit + 1)
    ) { try StoredAuditRecord.columns.record($0) }
    let page = found.prefix(limit).map { Audit_V1.AuditEntry($0) }
    if found.count > limit { return Page(entries: page, next: found[limit - 1].sequence) }
    let edge = try tx.first(
      """
      SELECT coalesce(min(sequence), 0), coalesce(min(recorded_at), 0), count(*)
      FROM (\(scanned("sequence, recorded_at"))) AS scanned
      """,
      .text(name),
      .integer(sequence)
    ) { row in (sequence: row.integer(0), oldest: row.integer(1), count: row.integer(2)) }
    guard let edge, edge.count == Self.scanCountMax,
      edge.oldest >= since.subtractingSaturated(Self.clockSlack)
    else { return Page(entries: page, next: nil) }
    return Page(entries: page, next: edge.sequence)
  }
}

extension Audit_V1.AuditEntry: ShowsPeople {
  package mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    if let id = AuditActor.userID(of: actor) { _ = body(id, &actorName) }
    if let id = AuditActor.userID(of: onBehalfOf) { _ = body(id, &onBehalfOfName) }
  }
}

extension Audit_V1.AuditEntry {
  /// A record of the log as operators see it.
  package init(_ stored: StoredAuditRecord) {
    let record = stored.record
    self.init(
      recordedAt: .init(milliseconds: stored.recordedAt),
      actor: record.actor,
      onBehalfOf: record.onBehalfOf ?? "",
      action: record.action,
      object: record.object,
      done: record.outcome == .done,
      requestId: record.requestID,
      detail: record.detail
    )
  }
}
