internal import AccessEngine
internal import ServiceKit

/// Reads a report in slices, none of which takes long or much memory.
struct ReportReader: Sendable {
  /// Where the next slice begins.
  enum Position: Hashable, Sendable {
    /// Roles that were held, after a place in their history.
    case roles(after: Int64)
    /// Audit records of one millisecond, after one of them.
    case records(at: Int64, after: Int64)
    /// Audit records from a millisecond on.
    case recordsFrom(Int64)
    /// Refused calls after one of them.
    case refusals(after: RefusalCount.Key?)
    case end

    static let start = Position.roles(after: 0)
  }

  /// Whole lines, and where to continue.
  struct Slice: Sendable {
    var bytes: [UInt8] = []
    var lineCount: UInt64 = 0
    /// The users whom they name.
    var people: Set<String> = []
    var next = Position.end

    mutating func add(_ line: ReportLine) {
      line.append(to: &bytes)
      people.formUnion(line.people)
      lineCount += 1
    }

    /// Whether it is as large as a slice may be; a line more is at most about 30 KiB.
    var isFull: Bool { bytes.count >= ReportReader.byteCountMax }
  }

  /// Rows that a slice looks at, at most.
  static let rowCountMax = 512
  /// Bytes of a slice after which no line is added.
  static let byteCountMax = 256 << 10

  let scope: ReportScope
  /// The policy when the report was asked for: which roles are lent, and which actions are operations.
  let lentRoles: Set<String>
  let operations: Set<String>

  init(_ scope: ReportScope, _ policy: Policy) {
    self.scope = scope
    lentRoles = Set(policy.lentRoles)
    operations = Set(policy.actions.filter { policy.isOperation($0) })
  }

  func slice(at position: Position, _ tx: borrowing ReadTransaction) throws -> Slice {
    try scope.requireUnpurged(tx)
    switch position {
    case .roles(let sequence): return try roles(after: sequence, tx)
    case .records(let instant, let sequence):
      return try records(
        "recorded_at = ? AND sequence > ?",
        [.integer(instant), .integer(sequence)],
        otherwise: .recordsFrom(instant + 1),
        tx
      )
    case .recordsFrom(let instant):
      return try records(
        "recorded_at >= ? AND recorded_at < ?",
        [.integer(instant), .integer(scope.interval.upperBound)],
        otherwise: .refusals(after: nil),
        tx
      )
    case .refusals(let key): return try refusals(after: key, tx)
    case .end: return Slice()
    }
  }

  // MARK: Roles

  private func roles(after sequence: Int64, _ tx: borrowing ReadTransaction) throws -> Slice {
    let states = try tx.query(
      AssociationState.columns,
      "WHERE root_id = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?",
      values: [
        .text(scope.rootID), .integer(sequence), .integer(scope.historyEnd),
        .integer(Self.rowCountMax),
      ]
    )
    var slice = Slice()
    for state in states {
      if slice.isFull { return slice }
      let (from, until) = state.span(asOf: scope.interval.upperBound)
      if max(from, scope.interval.lowerBound) < min(until, scope.interval.upperBound) {
        slice.add(line(state, from: from, until: until))
      }
      slice.next = .roles(after: state.sequence)
    }
    if states.count < Self.rowCountMax { slice.next = .recordsFrom(scope.interval.lowerBound) }
    return slice
  }

  private func line(_ role: AssociationState, from: Int64, until: Int64) -> ReportLine {
    var line = ReportLine(lentRoles.contains(role.role) ? .pass : .access)
    line[.time] = ReportLine.text(ofInstant: from)
    if until < .max { line[.until] = ReportLine.text(ofInstant: until) }
    line[.actor] = AuditActor.user(role.userID).name
    line[.role] = role.customRole.isEmpty ? role.role : role.customRole
    line[.object] = role.entityID
    line[.type] = role.entityType
    line[.name] = role.entityName
    if !role.grantedBy.isEmpty { line[.grantedBy] = AuditActor.user(role.grantedBy).name }
    line[.detail] = role.associationID
    if !role.customRole.isEmpty { line[.detail] += " based on \(role.role)" }
    if let stored = role.recurring { line[.detail] += " \(Self.text(ofWindow: stored))" }
    return line
  }

  /// `monday,friday 08:00-18:00 Europe/Berlin`.
  private static func text(ofWindow stored: String) -> String {
    // A window that cannot be read is never open.
    guard let window = RecurringWindow(storedText: stored) else { return "never" }
    let (from, until) = (
      RecurringWindow.timeOfDay(window.from), RecurringWindow.timeOfDay(window.until)
    )
    return "\(window.days.names.joined(separator: ",")) \(from)-\(until) \(window.timeZone)"
  }

  // MARK: The audit log

  /// Records that meet a condition; `otherwise` comes after the last of them.
  private func records(
    _ condition: String,
    _ values: [SQLValue],
    otherwise next: Position,
    _ tx: borrowing ReadTransaction
  ) throws -> Slice {
    let rows = try tx.query(
      """
      SELECT sequence, recorded_at, actor, on_behalf_of, request_id, action, object, outcome, detail
      FROM audit_log WHERE scope = ? AND \(condition) AND sequence <= ?
      ORDER BY recorded_at, sequence LIMIT ?
      """,
      values: [.text(scope.rootID)] + values
        + [.integer(scope.auditEnd), .integer(Self.rowCountMax)]
    ) { row in (sequence: row.integer(0), recordedAt: row.integer(1), line: line(ofRecord: row)) }
    var slice = Slice()
    for row in rows {
      if slice.isFull { return slice }
      slice.add(row.line)
      slice.next = .records(at: row.recordedAt, after: row.sequence)
    }
    if rows.count < Self.rowCountMax { slice.next = next }
    return slice
  }

  private func line(ofRecord row: borrowing Row) -> ReportLine {
    let (action, outcome) = (row.text(5), row.text(7))
    let isRefused = outcome == AuditRecord.Outcome.refused.rawValue
    let kind: ReportLine.Kind =
      isRefused ? .refusal : operations.contains(action) ? .operation : .change
    var line = ReportLine(kind)
    line[.time] = ReportLine.text(ofInstant: row.integer(1))
    line[.actor] = row.text(2)
    line[.onBehalfOf] = row.optionalText(3) ?? ""
    line[.action] = action
    line[.object] = row.text(6)
    line[.request] = row.text(4)
    // Of a refusal the record has nothing but the reason there.
    line[isRefused ? .reason : .detail] = row.text(8)
    return line
  }

  // MARK: Refused calls

  private func refusals(
    after key: RefusalCount.Key?,
    _ tx: borrowing ReadTransaction
  ) throws -> Slice {
    let rows = try RefusalTable.page(
      of: scope.rootID,
      scope.interval,
      after: key,
      limit: Self.rowCountMax,
      in: tx
    )
    var slice = Slice()
    for row in rows {
      if slice.isFull { return slice }
      slice.add(line(row))
      slice.next = .refusals(after: row.key)
    }
    if rows.count < Self.rowCountMax { slice.next = .end }
    return slice
  }

  private func line(_ refusal: RefusalCount) -> ReportLine {
    var line = ReportLine(.refusal)
    line[.time] = ReportLine.text(ofInstant: refusal.firstAt)
    line[.until] = ReportLine.text(ofInstant: refusal.lastAt)
    line[.actor] = refusal.key.actor
    line[.onBehalfOf] = refusal.key.onBehalfOf
    line[.action] = refusal.key.action
    line[.object] = refusal.key.object
    line[.reason] = refusal.key.reason
    line[.count] = "\(refusal.count)"
    return line
  }
}
