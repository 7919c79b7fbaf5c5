internal import PackedTables

extension Forest {
  /// Where a subject has roles.
  package struct Places: Equatable, Sendable {
    /// The entities, without the system.
    package var entities: Set<String> = []
    /// The roots of their trees.
    package var roots: Set<String> = []

    /// No places.
    package init() {}
  }

  /// The places of a subject, whether its roles there count at the moment or not.
  package func places(of subject: String) -> Places {
    var places = Places()
    guard let number = subjects.find(subject) else { return places }
    var next = associations.head(subject: number)
    while next != 0 {
      let row = associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      guard row.entity != Self.system, nodes[Int(row.entity)].isAlive else { continue }
      places.entities.insert(entities.text(row.entity))
      places.roots.insert(entities.text(root(of: row.entity)))
    }
    return places
  }
}
