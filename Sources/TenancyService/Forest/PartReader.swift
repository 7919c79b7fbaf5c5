internal import AccessEngine
internal import ServiceKit

/// Reads the part of the store that decisions about a few entities rest on: these, what is above them, what is linked
/// to them with all above that, and all roles of the users.
///
/// A forest of that gives the same decisions as one that holds all trees (`Forest.decide`): it looks at the entity, at
/// what is above it and linked to it, and at roles of the user there; of roles elsewhere it matters only which they are.
struct PartReader {
  private let question: PartQuestion
  private let policy: Policy
  private var entities: [String: EntityRecord] = [:]
  private var links: [(name: String, from: String, to: String)] = []
  /// Roles of the subjects, wherever they are.
  private var roles: [AssociationRecord] = []
  private var suspended: [String] = []
  /// Rows that may still be read.
  private var room = PartReader.rowCountMax

  /// Rows of a part, at most: a question that takes more waits for its trees.
  private static let rowCountMax = 5_000

  /// More rows than a part may have.
  private struct TooLarge: Error {}

  private init(_ question: PartQuestion, _ policy: Policy) {
    (self.question, self.policy) = (question, policy)
  }

  /// The forest that a question rests on, as the snapshot has it; nil when that is too much.
  ///
  /// Throws `StoreError.corrupt` for rows that the load of a whole tree would refuse as well.
  static func forest(
    for question: PartQuestion,
    _ policy: Policy,
    _ zones: any TimeZoneSource,
    in tx: borrowing ReadTransaction
  ) throws -> Forest? {
    var reader = PartReader(question, policy)
    do {
      try reader.read(tx)
    } catch is TooLarge {
      return nil
    }
    return try reader.forest(zones, tx)
  }

  // MARK: Rows

  private mutating func read(_ tx: borrowing ReadTransaction) throws {
    for id in question.entities {
      guard try readPath(from: id, tx) else { continue }
      let found = try LinkTable.links(to: id, limit: room + 1, in: tx)
      try take(found.count)
      links += found
    }
    for link in links { _ = try readPath(from: link.from, tx) }
    for id in question.subjects { try readRoles(of: id, tx) }
  }

  /// Reads an entity and all above it; false when it is not there.
  private mutating func readPath(from id: String, _ tx: borrowing ReadTransaction) throws -> Bool {
    var next = id
    while next != Forest.systemIdentifier, entities[next] == nil {
      guard let record = try EntityTable.all([next], in: tx).first else {
        guard next != id else { return false }
        throw tx.damage("\(next) is not there, and has something below it")
      }
      try take(1)
      entities[next] = record
      next = record.parentID
    }
    return true
  }

  private mutating func readRoles(of id: String, _ tx: borrowing ReadTransaction) throws {
    let given = try AssociationTable.all(ofUser: id, limit: room + 1, in: tx)
    try take(given.count)
    let taken = try TakenAssociationTable.all(of: id, in: tx)
    try take(taken.count)
    roles += given + taken
    if try tx.exists("SELECT 1 FROM suspension WHERE user_id = ?", .text(id)) {
      suspended.append(id)
    }
  }

  private mutating func take(_ count: Int) throws {
    room -= count
    guard room >= 0 else { throw TooLarge() }
  }

  // MARK: The forest

  private func forest(_ zones: any TimeZoneSource, _ tx: borrowing ReadTransaction) throws -> Forest
  {
    var forest = Forest(policy: policy, zones: zones)
    forest.revision = try tx.newestRevision()
    let rolesByRoot = Dictionary(grouping: roles, by: \.rootID)
    for (root, records) in Dictionary(grouping: entities.values, by: \.rootID) {
      let tree = StoredTree(
        root: root,
        revision: forest.revision,
        entities: records,
        associations: rolesByRoot[root] ?? [],
        links: links,
        definitions: try RoleDefinitionTable.all(of: root, in: tx)
      )
      _ = forest.hold(try tree.checkedRows(under: policy, in: tx))
    }
    for record in roles {
      guard let row = record.row(policy) else { continue }
      if row.entity == Forest.systemIdentifier { forest.apply(.putAssociation(row)) }
      forest.noteRole(row.role, of: row.subject)
    }
    for id in suspended { forest.apply(.setSuspended(id, true)) }
    return forest
  }
}
