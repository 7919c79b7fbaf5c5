internal import ServiceKit

/// The scope of a report, fixed when it was requested: the same scope always has the same lines.
struct ReportScope: Hashable, Sendable {
  /// The root of the tree.
  let rootID: String
  let type: String
  /// Milliseconds since 1970.
  let interval: Range<Int64>
  /// Where the audit log and the history of roles ended at that time: what came later is not looked at.
  let auditEnd: Int64
  let historyEnd: Int64
  /// From when on the store has everything, in milliseconds since 1970; 0 for always.
  let completeSince: Int64

  /// The scope as the store is now; audit records of this transaction are not part of it.
  init(
    rootID: String,
    type: String,
    interval: Range<Int64>,
    _ tx: borrowing some Queryable
  ) throws {
    (self.rootID, self.type, self.interval) = (rootID, type, interval)
    auditEnd =
      try tx.first("SELECT max(sequence) FROM audit_log") { $0.optionalInteger(0) ?? 0 } ?? 0
    historyEnd =
      try tx.first("SELECT max(sequence) FROM association_history") {
        $0.optionalInteger(0) ?? 0
      } ?? 0
    completeSince = try Self.completeSince(tx)
  }

  /// Throws ABORTED when something of the interval was purged since the report began.
  func requireUnpurged(_ tx: borrowing ReadTransaction) throws {
    let since = try Self.completeSince(tx)
    guard since <= max(completeSince, interval.lowerBound) else {
      throw ReportError.interrupted
    }
  }

  var line: ReportLine {
    var line = ReportLine(.report)
    line[.time] = ReportLine.text(ofInstant: interval.lowerBound)
    line[.until] = ReportLine.text(ofInstant: interval.upperBound)
    line[.object] = rootID
    line[.type] = type
    line[.detail] =
      completeSince <= interval.lowerBound
      ? "complete" : "complete since \(ReportLine.text(ofInstant: completeSince))"
    return line
  }

  private static func completeSince(_ tx: borrowing some Queryable) throws -> Int64 {
    let since = try tx.first("SELECT since FROM report_coverage") { $0.integer(0) } ?? 0
    let oldest = try tx.first(
      "SELECT sequence, recorded_at FROM audit_log ORDER BY sequence LIMIT 1"
    ) { (sequence: $0.integer(0), recordedAt: $0.integer(1)) }
    // Numbers are given once and in order, so the first one is missing only if it was purged.
    guard let oldest, oldest.sequence > 1 else { return since }
    return max(since, oldest.recordedAt)
  }
}
