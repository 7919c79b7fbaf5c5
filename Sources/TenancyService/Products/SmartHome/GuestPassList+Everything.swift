internal import AccessEngine
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// The passes of all tenants, for users whose roles on the system reach all objects of a type.
///
/// As with `EverythingList`, memory need not have all trees for one answer: rows come from the store in their order, and
/// the trees of those that may be shown are loaded a few at a time.
extension GuestPassList {
  /// Associations that one read of the store looks at.
  private static let readCount = 10_000
  /// Passes that are decided on at a time, each perhaps in a tree of its own.
  private static let decisionCount = 50

  /// Nil for a user who does not reach everything.
  func everywhere(on type: String, _ core: TenancyCore) async throws -> [String]? {
    guard filters.isEmpty, try reachesEverything(of: type, core) else { return nil }
    var (found, last) = ([String](), cursor.map(Self.associationID))
    while found.count < limit {
      let start = last
      let now = core.clock.now
      let (passes, end) = try await core.store.read { tx in
        try self.rows(on: type, after: start, at: now, tx)
      }
      var rest = passes[...]
      while found.count < limit, !rest.isEmpty {
        let part = rest.prefix(Self.decisionCount)
        rest = rest.dropFirst(part.count)
        found += try await shown(Array(part), on: type, core)
      }
      guard let end else { break }
      last = end
    }
    return Array(found.prefix(limit))
  }

  private func reachesEverything(of type: String, _ core: TenancyCore) throws -> Bool {
    let (now, features) = (core.clock.now, core.features)
    return try core.engine.read { forest in
      guard let action = forest.policy.granting(SmartHome.guest, on: type),
        let query = forest.query(action, on: type, user, now: now, features)
      else { return false }
      return forest.reachesEverything(query)
    }
  }

  /// The passes among the next associations, and where those end; nil when there are no more.
  private func rows(
    on type: String,
    after id: String?,
    at now: Int64,
    _ tx: borrowing ReadTransaction
  ) throws -> (passes: [AssociationRecord], end: String?) {
    let direction = ListDirection(request.sortBy, standard: .ascending)
    let looked = try tx.query(
      AssociationRecord.columns,
      """
      WHERE a.id \(direction.comparison) ? ORDER BY a.id \(direction.keyword) LIMIT ?
      """,
      .text(id ?? direction.firstText),
      .integer(Self.readCount)
    )
    let takesEnded = request.includeEnded && !request.inForce
    let passes = looked.filter { record in
      record.entityType == type && SmartHome.guestRoles.contains(record.role)
        && (takesEnded || record.validUntil ?? .max > now)
        && (!request.inForce || record.validFrom ?? .min <= now)
    }
    return (passes, looked.count == Self.readCount ? looked.last?.id : nil)
  }

  /// Those of some passes whose objects the caller may give passes for, and the caller's own.
  private func shown(
    _ passes: [AssociationRecord],
    on type: String,
    _ core: TenancyCore
  ) async throws -> [String] {
    guard let action = core.policy.granting(SmartHome.guest, on: type) else { return [] }
    return try await core.read { tx in
      try passes.filter { record in
        guard record.userID != user.userID else { return true }
        let explanation = try core.ruling(action, on: record.entityID, type: type, user, tx)
        guard explanation.isAllowed else { return false }
        core.operatorLooks.note(user.userID, on: record.rootID) { record.rootID }
        return true
      }.map(\.id)
    }
  }
}
