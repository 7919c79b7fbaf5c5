internal import PackedTables

/// The first associations of some roles after a place in their order, gathered from all in any order.
///
/// The order is that of their identifiers, which begin with the instant at which they were made.
package struct AssociationSelection: Sendable {
  /// The identifiers found so far, in order; never more than `limit`.
  package private(set) var identifiers: [String] = []

  private let roles: [RoleID]
  private let endsAfter: Int64
  private let beginsBy: Int64
  private let cursor: String?
  private let isDescending: Bool
  private let limit: Int

  /// Of those that end after an instant and begin by another one (milliseconds since 1970), the first
  /// `limit` after `cursor`, or from the greatest identifier down if it is descending.
  package init(
    of roles: [RoleID],
    endingAfter endsAfter: Int64,
    beginningBy beginsBy: Int64 = .max,
    after cursor: String?,
    isDescending: Bool = false,
    limit: Int
  ) {
    self.roles = roles
    self.endsAfter = endsAfter
    self.beginsBy = beginsBy
    self.cursor = cursor
    self.isDescending = isDescending
    self.limit = limit
  }

  /// Takes the associations on an entity into account; they may be offered again.
  mutating func offer(entity: UInt32, _ forest: borrowing Forest) {
    for number in forest.associationRows(entity: entity) { offer(row: number, forest) }
  }

  /// Takes one into account; it may be offered again.
  mutating func offer(row number: UInt32, _ forest: borrowing Forest) {
    let row = forest.associations.rows[Int(number)]
    guard row.validUntil > endsAfter, row.validFrom <= beginsBy, roles.contains(row.role) else {
      return
    }
    let id = forest.associations.identifier(of: number)
    if let cursor, !isOrdered(cursor, id) { return }
    if identifiers.count == limit, let last = identifiers.last, !isOrdered(id, last) { return }
    var (low, high) = (0, identifiers.count)
    while low < high {
      let middle = (low + high) / 2
      if isOrdered(identifiers[middle], id) { low = middle + 1 } else { high = middle }
    }
    guard low == identifiers.count || identifiers[low] != id else { return }
    identifiers.insert(id, at: low)
    if identifiers.count > limit { identifiers.removeLast() }
  }

  private func isOrdered(_ first: String, _ second: String) -> Bool {
    isDescending ? first > second : first < second
  }
}
