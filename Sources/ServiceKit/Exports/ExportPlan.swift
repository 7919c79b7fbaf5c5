/// The plan of a service's export: the data of a user that it exports, and the data it keeps and leaves out.
///
/// A new table or column belongs in here: the tests of each service go through its whole schema and demand
/// that everything is exported, or named in `withheld` with the reason.
package struct ExportPlan: Sendable {
  /// The lists, in the order of the document.
  package let sections: [ExportSection]
  /// Why tables (`table`) and columns (`table.column`) are left out.
  package let withheld: [String: String]

  /// Makes the plan of a service; the lists and columns that every store has are added to its own.
  package init(_ sections: [ExportSection], withheld: [String: String]) {
    self.sections = sections + [Self.audit]
    self.withheld = withheld.merging(Self.common) { own, _ in own }
  }

  /// The user's own actions, actions by other callers for or on the user, and refusals, oldest first.
  ///
  /// The three ways to be part of a record have an index each. A fourth one is for records from before
  /// version 0.3; see `AuditActor`.
  private static let audit = ExportSection(
    "audit",
    of: "audit_log",
    from: """
      (\(["actor = 'user:' || ?1", "actor = ?1", "on_behalf_of = 'user:' || ?1", "object = ?1"].map {
        """
        SELECT * FROM (
          SELECT * FROM audit_log WHERE \($0) AND sequence > ?4 ORDER BY sequence LIMIT ?3) AS found
        """
      }.joined(separator: " UNION "))) AS audit_log
      """,
    where: "true",
    by: [.integer("sequence")],
    [
      .instant("recorded_at"), .party("actor"), .party("on_behalf_of"), .text("action"),
      .party("object"), .party("scope"), .text("outcome"), .party("detail"), .text("request_id"),
    ]
  )

  /// The tables that every store has besides.
  private static let common = [
    "audit_log.sequence": "a number of the store, by which records are ordered",
    "audit_log.before_digest": "tells operators two states apart and nothing else",
    "audit_log.after_digest": "tells operators two states apart and nothing else",
    "change_log": "tells other services what to read again, for a few days",
    "event": "what other systems hear for 30 days; that it happened is in audit",
    "idempotency_key": "answers that the user got, kept for a day in case the request is repeated",
    "retention_clock": "nothing about users",
    "store_identity": "nothing about users",
    "store_version": "nothing about users",
  ]

  /// Reads all lists, page by page.
  ///
  /// Gives each list's name once without records before its pages, so that empty ones are listed too. No
  /// snapshot of the store lives from one page to the next: anyone who takes them may take its time, and what
  /// changes in the meantime is exported as it is when its turn comes.
  package func read(
    _ subject: ExportSubject,
    from store: ServiceStore,
    _ take: (_ section: String, _ records: [String]) async throws -> Void
  ) async throws {
    for section in sections {
      try await take(section.name, [])
      var place: [SQLValue]? = section.start
      while let at = place {
        let page = try await store.read { tx in try section.page(of: subject, after: at, in: tx) }
        for records in Self.parts(of: page.records) { try await take(section.name, records) }
        place = page.next
      }
    }
  }

  /// Bytes of records in one part, unless the last one alone is larger.
  private static let byteCountMax = 256 << 10

  /// Records in parts that fit into a message each.
  private static func parts(of records: [String]) -> [[String]] {
    var parts: [[String]] = []
    var byteCount = Int.max
    for record in records {
      if byteCount >= byteCountMax {
        parts.append([])
        byteCount = 0
      }
      parts[parts.count - 1].append(record)
      byteCount += record.utf8.count
    }
    return parts
  }
}
