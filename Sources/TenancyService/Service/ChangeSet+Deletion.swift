internal import Contracts
internal import ServiceKit

/// How an entity is deleted.
struct DeletionOptions: Sendable {
  /// Also what is below it; refused without when something is.
  var cascades = false
  /// Changes nothing and says what would go.
  var isDryRun = false
  /// What is kept of it; everything goes when nil.
  var keeping: Keeping?

  /// Entities that get another home instead of being deleted.
  struct Keeping: Sendable {
    /// Those of this type go to `home`, and take along what is below them.
    let type: String
    /// Outside of what is deleted, and where the policy lets such entities be.
    let home: EntityRecord
    /// What the audit log calls the move.
    let action: String
  }
}

extension ChangeSet {
  /// Deletes an entity with what is below it, or says what would go.
  ///
  /// All in one transaction: the entities, what users have on them, and what was lent by way of them.
  /// What is kept of it has a home by then, so nothing is ever left without one.
  func delete(
    _ entity: EntityRecord,
    _ options: DeletionOptions,
    _ tx: borrowing WriteTransaction
  ) throws -> Tenancy_V1.DeleteResponse {
    let subtree = try tx.subtree(of: entity.id)
    if !options.cascades, !options.isDryRun, subtree.count > 1 {
      throw TenancyError.hasDependents(
        Self.counts(subtree.filter { $0.id != entity.id }.map(\.type))
      )
    }
    let parts = Self.parts(of: subtree, from: entity, options.keeping)
    var types = parts.deleted.map(\.type)
    for record in parts.deleted + parts.moved {
      for association in try tx.associations(on: record.id) {
        types.append(association.role == SmartHome.guest ? "guest_pass" : "association")
      }
    }
    var response = Tenancy_V1.DeleteResponse(
      deleted: Self.counts(types).map {
        Tenancy_V1.TypeCount(type: $0.type, count: UInt64($0.count))
      },
      unassignedDevices: UInt64(parts.moved.count),
      revision: core.tokens.token(revision: tx.revision),
      devicesMovedTo: parts.moved.isEmpty ? "" : options.keeping?.home.id ?? ""
    )
    guard !options.isDryRun else { return response }
    if let keeping = options.keeping {
      for record in parts.moved {
        _ = try move(record, under: keeping.home, action: keeping.action, tx)
      }
    }
    let revision = try remove(parts.deleted, tx)
    response.revision = core.tokens.token(revision: revision)
    return response
  }

  /// What of a subtree is deleted, in its order, and what is moved elsewhere.
  private static func parts(
    of subtree: [EntityRecord],
    from entity: EntityRecord,
    _ keeping: DeletionOptions.Keeping?
  ) -> (deleted: [EntityRecord], moved: [EntityRecord]) {
    guard let keeping else { return (subtree, []) }
    // What is below something that is kept stays where it is.
    var stays: Set<String> = []
    var parts: (deleted: [EntityRecord], moved: [EntityRecord]) = ([], [])
    for record in subtree.reversed() {
      if stays.contains(record.parentID) {
        stays.insert(record.id)
      } else if record.id != entity.id, record.type == keeping.type {
        stays.insert(record.id)
        parts.moved.append(record)
      } else {
        parts.deleted.append(record)
      }
    }
    return (parts.deleted.reversed(), parts.moved)
  }

  /// Removes entities, deepest first, so that nothing is ever without what it hangs under.
  private func remove(
    _ records: [EntityRecord],
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    var revision: Int64 = 0
    for record in records {
      try end(try tx.associations(on: record.id), action: "association.end", tx)
      let linked = try tx.linkTargets(from: record.id)
      try tx.removeLinks(of: record.id, scope: record.rootID, policy)
      try limitLending(ofUnlinked: linked, tx)
      revision = try tx.remove(record, policy)
      try tx.audit(
        core.audit(
          call,
          user,
          "\(record.type).delete",
          object: record.id,
          scope: record.rootID,
          before: record.digest
        )
      )
    }
    return revision
  }

  private static func counts(_ types: [String]) -> [(type: String, count: Int)] {
    Dictionary(grouping: types) { $0 }.map { (type: $0.key, count: $0.value.count) }
      .sorted { $0.type < $1.type }
  }
}
