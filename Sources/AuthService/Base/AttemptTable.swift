internal import ServiceKit

/// Counts of failed attempts in the store, by what they are about.
enum AttemptTable {
  /// Which secret was tried; each is counted for itself.
  enum Kind: String {
    case password
    case secondFactor = "second_factor"
  }

  static let columns = RecordColumns<AttemptCounter>(
    "attempt",
    beside: ["subject", "kind"],
    .integer("failures") { Int64($0.failures) },
    .integer("last_at", \.last),
    .integer("until_at", \.until)
  ) { row in
    AttemptCounter(
      failures: Int32(clamping: row.integer()),
      last: row.integer(),
      until: row.integer()
    )
  }

  // Made once, because every sign-in runs it.
  private static let selectCounter = "\(columns.selection) WHERE subject = ? AND kind = ?"
  private static let saving = columns.upsert(on: "subject", "kind")

  /// Failed attempts since the last right one.
  static func counter(
    _ subject: [UInt8],
    _ kind: Kind,
    in tx: borrowing some Queryable
  ) throws -> AttemptCounter {
    try tx.first(selectCounter, .blob(subject), .text(kind.rawValue)) { try columns.record($0) }
      ?? AttemptCounter()
  }

  /// The outcome of an attempt.
  struct Reservation: Sendable {
    /// Whether it may continue; false when it comes too early.
    let isInTime: Bool
    /// How long the next one has to wait, in milliseconds.
    let wait: Int64
    /// Whether it is the one in a row that causes a mail to the account's owner.
    let isToldOf: Bool
  }

  /// Counts an attempt.
  ///
  /// Writes a row in either case, so that both cost the same.
  static func reserve(
    _ subject: [UInt8],
    _ kind: Kind,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Reservation {
    var counter = try counter(subject, kind, in: tx)
    let isTaken = counter.reserve(now: now)
    try tx.save(counter, saving, beside: .blob(subject), .text(kind.rawValue))
    return Reservation(
      isInTime: isTaken,
      wait: max(0, counter.until.subtractingSaturated(now)),
      isToldOf: isTaken && counter.failures == AttemptCounter.noticeCount
    )
  }

  /// Forgets the attempts on a secret that was just shown to be known.
  static func clear(
    _ subject: [UInt8],
    _ kind: Kind,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "DELETE FROM attempt WHERE subject = ? AND kind = ?",
      .blob(subject),
      .text(kind.rawValue)
    )
  }

  /// Forgets counts that no longer make anyone wait, those of many attempts later.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM attempt WHERE last_at < ? OR (last_at < ? AND failures < ?)",
      .integer(now - AttemptCounter.quietMax),
      .integer(now - 3_600_000),
      .integer(Int64(AttemptCounter.freeCount))
    )
  }
}
