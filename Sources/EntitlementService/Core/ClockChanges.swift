internal import RPCKit
internal import ServiceKit

/// Tells other systems of plans that the clock has changed: what was paid until then, trials, scheduled changes.
///
/// Nothing runs at the instant itself, as the log of a subject has it written ahead. An entry is planned until its event
/// is written, so those that were due while no program ran follow at the start.
enum ClockChanges {
  /// Entries of one write.
  private static let pieceCount = 500

  /// Tells of the next entries that are due; whether there may be more.
  static func advance(_ core: EntitlementCore) async throws -> Bool {
    let now = core.clock.now
    // Most of the time there are none, and a write would be one for nothing.
    let isNeeded = try await core.store.database.read { tx in
      try !EntitlementChangeTable.due(at: now, limit: 1, in: tx).isEmpty
    }
    guard isNeeded else { return false }
    return try await core.store.writeOwn { tx in
      let due = try EntitlementChangeTable.due(at: now, limit: pieceCount, in: tx)
      for entries in groups(of: due) {
        // Older ones were due before events were kept.
        if let first = entries.first, first.record.occurredAt > now - EventTable.lifetime {
          try tell(first, entries, in: tx)
        }
      }
      for entry in due { try EntitlementChangeTable.markDone(entry, in: tx) }
      return due.count == pieceCount
    }
  }

  /// Those of one subject and instant are one change.
  private static func groups(of due: [DueEntry]) -> [[DueEntry]] {
    var groups: [[DueEntry]] = []
    for entry in due {
      if let last = groups.last?.last, last.subject == entry.subject,
        last.record.occurredAt == entry.record.occurredAt
      {
        groups[groups.count - 1].append(entry)
      } else {
        groups.append([entry])
      }
    }
    return groups
  }

  private static func tell(
    _ first: DueEntry,
    _ entries: [DueEntry],
    in tx: borrowing WriteTransaction
  ) throws {
    try SubjectChanges.tell(
      of: first.subject,
      because: first.record.cause,
      entries.map(\.record.change),
      version: first.record.place.version,
      in: tx
    )
  }
}
