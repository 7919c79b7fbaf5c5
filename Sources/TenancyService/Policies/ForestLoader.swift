internal import AccessEngine
internal import ServiceKit

/// Makes the forest of a policy from the store, with no tree or with all of them.
enum ForestLoader {
  private static let pageSize = 1000

  /// The forest at the newest revision of the snapshot, with the system alone: trees are loaded when a decision asks for
  /// them, see `TreeLoader`.
  ///
  /// Throws `PolicyError` for a policy that lacks a type of which the store has entities.
  static func loadSystem(
    _ policy: Policy,
    _ zones: any TimeZoneSource,
    _ tx: borrowing ReadTransaction
  ) throws -> Forest {
    try requireTypes(of: policy, tx)
    var forest = Forest(partialUnder: policy, zones: zones)
    for record in try AssociationTable.all(on: Forest.systemIdentifier, in: tx)
      + TakenAssociationTable.all(below: Forest.systemIdentifier, in: tx)
    {
      if let row = record.row(policy) { forest.apply(.putAssociation(row)) }
    }
    for user in try tx.query("SELECT user_id FROM suspension", row: { $0.text(0) }) {
      forest.apply(.setSuspended(user, true))
    }
    forest.revision = try tx.newestRevision()
    return forest
  }

  /// The same with some trees, as far as they are there.
  static func load(
    _ roots: [String],
    _ policy: Policy,
    _ zones: any TimeZoneSource,
    _ tx: borrowing ReadTransaction
  ) throws -> Forest {
    var forest = try loadSystem(policy, zones, tx)
    for root in roots { _ = forest.hold(try TreeReader.read(root, policy, in: tx)) }
    return forest
  }

  /// The same with all trees.
  static func load(
    _ policy: Policy,
    _ zones: any TimeZoneSource,
    _ tx: borrowing ReadTransaction
  ) throws -> Forest {
    var forest = try loadSystem(policy, zones, tx)
    var last = ""
    while true {
      let roots = try TreeReader.roots(after: last, limit: pageSize, in: tx)
      for root in roots { _ = forest.hold(try TreeReader.read(root, policy, in: tx)) }
      guard let end = roots.last else { return forest }
      last = end
    }
  }

  private static func requireTypes(of policy: Policy, _ tx: borrowing ReadTransaction) throws {
    // One step in the index for each type, however many entities there are.
    var last = ""
    while let type = try tx.first(
      "SELECT type FROM entity WHERE type > ? ORDER BY type LIMIT 1",
      .text(last),
      row: { $0.text(0) }
    ) {
      guard policy.type(named: type) != nil else {
        throw PolicyError([
          .init(path: "types", problem: "lacks \(type), of which the store has entities")
        ])
      }
      last = type
    }
  }
}
