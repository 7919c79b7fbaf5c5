internal import ServiceKit

/// An association as far as it takes to decide whether it grants something.
struct AssociationPlace: Sendable {
  let id: String
  let userID: String
  let role: String
  /// The revision at which it was given: the order of lists.
  let added: Int64
}

extension StoreTransaction where Self: ~Copyable {
  /// The first associations on any of some entities that were given after a revision, in that order.
  func associationPlaces(
    on entityIDs: [String],
    after added: Int64,
    limit: Int
  ) throws -> [AssociationPlace] {
    var places: [AssociationPlace] = []
    // One range of the index each: to have all of them sorted, the store would read each to its end.
    for id in Set(entityIDs) {
      places += try query(
        """
        SELECT id, user_id, role, added FROM association
        WHERE entity_id = ? AND added > ? ORDER BY added LIMIT ?
        """,
        .text(id),
        .integer(added),
        .integer(limit)
      ) {
        AssociationPlace(
          id: $0.text(0),
          userID: $0.text(1),
          role: $0.text(2),
          added: $0.integer(3)
        )
      }
    }
    places.sort { $0.added < $1.added }
    return Array(places.prefix(limit))
  }
}
