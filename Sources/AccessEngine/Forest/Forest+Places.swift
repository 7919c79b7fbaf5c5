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
    lack(rolesOf: subject)
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

  /// Whether a subject has a role on the system, at whatever time: without one nothing there has to be decided.
  package func isOnSystem(_ subject: String) -> Bool {
    guard let number = subjects.find(subject) else { return false }
    return associations.head(subject: number, entity: Self.system) != 0
  }

  /// Whether a subject has a role that is not over on something below an entity, which is not the system.
  ///
  /// What is below an entity names it, so a user with such a role may know of it. Without `lent` roles that somebody
  /// lends, as guests have them, do not count.
  package func hasRole(
    _ subject: String,
    below ancestor: UInt32,
    lent: Bool = true,
    now: Int64
  ) -> Bool {
    guard ancestor != Self.system, let number = subjects.find(subject), !isSuspended(number) else {
      return false
    }
    var next = associations.head(subject: number)
    while next != 0 {
      let row = associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      guard lent || !policy[row.role].isLent else { continue }
      if row.validUntil > now, row.entity != ancestor, nodes[Int(row.entity)].isAlive,
        isEntity(row.entity, within: ancestor)
      {
        return true
      }
    }
    return false
  }
}
