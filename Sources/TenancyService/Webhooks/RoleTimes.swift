internal import RPCKit
internal import ServiceKit

/// Tells of roles that begin or end by the clock, which nobody writes: guest passes, above all.
///
/// How far it has come is written with the events, so those that were due while no program ran follow at the start.
struct RoleTimes: Sendable {
  /// How often it looks; so late an event is, at most.
  private static let interval = Duration.seconds(5)
  /// Roles that are read at a time.
  private static let pageCount = 1000
  private static let feed = "role_times"

  let core: TenancyCore

  /// Tells of what is due, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    while !Task.isCancelled {
      do {
        while try await advance() {}
      } catch is CancellationError {
        return
      } catch {
        core.logger.warning("could not tell of roles that ended; retrying", ["error": "\(error)"])
      }
      await loop.sleep(Self.interval)
    }
  }

  /// Tells of the next roles that are due; whether there may be more.
  func advance() async throws -> Bool {
    let now = core.clock.now
    // A write for nothing every five seconds would be one too many.
    let isNeeded = try await core.database.read { tx in
      guard let start = try FeedPosition.find(Self.feed, in: tx) else { return true }
      return try AssociationTable.changesByTheClock(after: start, until: now, in: tx)
    }
    guard isNeeded else { return false }
    return try await core.changeOwn { tx in
      guard let start = try FeedPosition.find(Self.feed, in: tx) else {
        try FeedPosition.put(now, of: Self.feed, in: tx)
        return false
      }
      guard now > start else { return false }
      let end = try Self.bound(after: start, until: now, in: tx)
      let started = try AssociationTable.beginning(after: start, until: end, in: tx)
      let ended = try AssociationTable.ending(after: start, until: end, in: tx)
      for record in started where record.createdAt < record.validFrom ?? 0 {
        try Self.tell("role.started", record, why: nil, in: tx)
      }
      for record in ended { try Self.tell("role.ended", record, why: "expired", in: tx) }
      try FeedPosition.put(end, of: Self.feed, in: tx)
      return end < now
    }
  }

  /// The end of an interval in which there are not too many.
  private static func bound(
    after start: Int64,
    until now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    var end = now
    for column in ["valid_from", "valid_until"] {
      let last = try tx.query(
        """
        SELECT \(column) FROM association WHERE \(column) > ? AND \(column) <= ?
        ORDER BY \(column) LIMIT 1 OFFSET \(pageCount)
        """,
        .integer(start),
        .integer(now)
      ) { $0.integer(0) }.first
      if let last { end = min(end, last) }
    }
    return end
  }

  private static func tell(
    _ type: String,
    _ record: AssociationRecord,
    why: String?,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.event(
      type,
      object: record.entityID,
      scope: record.rootID,
      userID: record.userID,
      record.eventData(why: why)
    )
  }
}

extension AssociationTable {
  /// Whether some begin or end by the clock in an interval, without its first instant.
  fileprivate static func changesByTheClock(
    after start: Int64,
    until end: Int64,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    for column in ["valid_from", "valid_until"] {
      let found = try tx.first(
        "SELECT 1 FROM association WHERE \(column) > ? AND \(column) <= ? LIMIT 1",
        .integer(start),
        .integer(end)
      ) { _ in true }
      if found == true { return true }
    }
    return false
  }

  /// Those that begin by the clock in an interval, without its first instant.
  fileprivate static func beginning(
    after start: Int64,
    until end: Int64,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE a.valid_from > ? AND a.valid_from <= ? ORDER BY a.valid_from, a.id",
      .integer(start),
      .integer(end)
    )
  }

  /// Those that end by the clock in an interval, without its first instant.
  fileprivate static func ending(
    after start: Int64,
    until end: Int64,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE a.valid_until > ? AND a.valid_until <= ? ORDER BY a.valid_until, a.id",
      .integer(start),
      .integer(end)
    )
  }
}
