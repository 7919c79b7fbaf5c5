internal import AccessEngine
internal import ServiceKit

/// The records of one tree, or of a part of it that hangs together: rows under whatever policy.
struct StoredTree: Sendable {
  /// The identifier of the uppermost entity.
  let root: String
  /// The newest revision of the snapshot.
  let revision: Int64
  let entities: [EntityRecord]
  /// The roles of all, or of those who are asked about.
  let associations: [AssociationRecord]
  let links: [(name: String, from: String, to: String)]
  /// The tenant-defined roles.
  let definitions: [RoleDefinitionRecord]

  /// The rows that a policy can speak of; what it has no type, role or link for is left out.
  func rows(under policy: Policy) -> TreeRows {
    TreeRows(
      root: root,
      revision: revision,
      entities: entities.compactMap { $0.row(policy) },
      variants: definitions.compactMap { $0.row(policy) },
      associations: associations.compactMap { $0.row(policy) },
      links: links.compactMap { name, from, to in
        policy.link(named: name).map { LinkRow(link: $0, from: from, to: to) }
      }
    )
  }

  /// The same of a policy that is in force: throws `StoreError.corrupt` for a type that it lacks, and for an entity from
  /// which no way leads to the root.
  func checkedRows(under policy: Policy, in tx: borrowing ReadTransaction) throws -> TreeRows {
    if let record = entities.first(where: { policy.type(named: $0.type) == nil }) {
      throw tx.damage("\(record.id) is of type \(record.type), which the policy lacks")
    }
    var rows = rows(under: policy)
    if let entity = rows.sort() {
      throw tx.damage("\(entity) has no parent, is nested too deeply, or is below itself")
    }
    return rows
  }
}
