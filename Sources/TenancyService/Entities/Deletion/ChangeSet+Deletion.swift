internal import ServiceKit

struct DeletionOptions: Sendable {
  /// Also what is below it; refused without when something is.
  var cascades = false
  /// Changes nothing and says what would go.
  var isDryRun = false
  /// The part of it that is kept; everything goes when nil.
  var keeping: Keeping?

  /// Entities that get another home instead of being deleted.
  struct Keeping: Sendable {
    /// Those of this type go to `home`, and take along what is below them.
    let type: String
    /// Outside of what is deleted, and where the policy lets such entities be.
    let home: EntityRecord
    /// The audit log's name of the move.
    let action: String
  }
}

/// The effect of a deletion, or of a dry run.
struct Deletion: Sendable {
  /// Entities that went, by type, the deleted one included.
  let deleted: [Count]
  /// Roles that ended, by name.
  let endedRoles: [Count]
  /// How many entities were kept and moved to another home.
  let movedCount: Int
  /// Entities among those that went which EntitlementService is notified of.
  let holderCount: Int
  /// The deletion that says how far that is; empty when there is nothing to tell, or nothing went.
  let recordID: String
  let revision: Int64

  /// How many of a kind.
  struct Count: Sendable {
    let name: String
    let count: Int
  }
}

extension ChangeSet {
  /// Entities that one call deletes or moves, at most: what the one thread that writes does in about a
  /// second.
  static let cascadeCountMax = 10_000

  /// Deletes an entity with what is below it, or says what would go.
  ///
  /// All in one transaction: the entities, what users have on them, and what was lent by way of them.
  /// What is kept of it has a home by then, so nothing is ever left without one.
  func delete(
    _ entity: EntityRecord,
    _ options: DeletionOptions,
    _ tx: borrowing WriteTransaction
  ) throws -> Deletion {
    let count = try requireCascade(from: entity, tx)
    if !options.cascades, !options.isDryRun, count > 1 {
      var counts = Dictionary(
        uniqueKeysWithValues: try EntityTable.typeCounts(within: entity.id, in: tx).map {
          ($0.type, $0.count)
        }
      )
      counts[entity.type, default: 0] -= 1
      throw EntityError.hasDependents(
        counts.filter { $0.value > 0 }.map { (type: $0.key, count: $0.value) }
      )
    }
    let subtree = try EntityTable.subtree(of: entity.id, in: tx)
    let parts = Self.parts(of: subtree, from: entity, options.keeping)
    var roles: [String] = []
    for record in parts.deleted + parts.moved {
      roles += try AssociationTable.all(on: record.id, in: tx).map(\.role)
    }
    let holders = core.endings == nil ? [] : parts.deleted.filter(mayHoldEntitlements).map(\.id)
    var (revision, recordID) = (tx.revision, "")
    if !options.isDryRun {
      if let keeping = options.keeping {
        for record in parts.moved {
          _ = try move(record, under: keeping.home, action: keeping.action, tx)
        }
      }
      revision = try remove(parts.deleted, tx)
      for product in core.products.parts(of: policy) {
        try product.deleted(parts.deleted.map { .init(id: $0.id, type: $0.type) }, self, tx)
      }
      recordID = try noteEnd(of: holders, with: entity, tx)
    }
    return Deletion(
      deleted: Self.counts(parts.deleted.map(\.type)),
      endedRoles: Self.counts(roles),
      movedCount: parts.moved.count,
      holderCount: holders.count,
      recordID: recordID,
      revision: revision
    )
  }

  /// Throws when more hangs under an entity than one call deletes or moves; how much it is.
  func requireCascade(
    from entity: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> Int {
    let count = try EntityTable.typeCounts(within: entity.id, in: tx).reduce(0) { $0 + $1.count }
    guard count <= Self.cascadeCountMax else { throw EntityError.cascadeTooLarge(count) }
    return count
  }

  /// The parts of a subtree that are deleted, in order, and those that are moved elsewhere.
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

  /// Removes entities, deepest first, so that nothing is ever without its parent.
  private func remove(
    _ records: [EntityRecord],
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    var revision: Int64 = 0
    let gone = Set(records.map(\.id))
    try countEnd(of: records.map(\.counted), tx)
    for record in records {
      try end(try AssociationTable.all(on: record.id, in: tx), action: "association.end", tx)
      let linked = try LinkTable.targets(from: record.id, in: tx)
      try LinkTable.removeAll(of: record.id, scope: record.rootID, policy, in: tx)
      try limitLending(ofUnlinked: linked, tx)
      if record.rootID == record.id { try removeDefinitions(of: record.id, tx) }
      revision = try EntityTable.remove(record, policy, in: tx)
      if !gone.contains(record.parentID) { try touch(parents: [record.parentID], of: record, tx) }
      try tx.audit("\(record.type).delete", from: record)
    }
    return revision
  }

  /// Notifies EntitlementService of deleted entities, once this is committed; the deletion's identifier.
  private func noteEnd(
    of holders: [String],
    with entity: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> String {
    guard !holders.isEmpty else { return "" }
    let record = EntityDeletionRecord(
      id: core.identifiers.make(.entityDeletion),
      entityID: entity.id,
      entityType: entity.type,
      deletedBy: user.userID,
      deletedAt: tx.now,
      holderCount: holders.count
    )
    try EntityDeletionTable.insert(record, holders: holders, in: tx)
    return record.id
  }

  /// Whether EntitlementService may keep something for an entity: a subscription for the uppermost of a tree
  /// and for what the policy says, points for what has them.
  private func mayHoldEntitlements(_ record: EntityRecord) -> Bool {
    record.rootID == record.id || policy.mayHoldEntitlements(record.type)
  }

  private static func counts(_ names: [String]) -> [Deletion.Count] {
    Dictionary(grouping: names) { $0 }.map { .init(name: $0.key, count: $0.value.count) }
      .sorted { $0.name < $1.name }
  }
}
