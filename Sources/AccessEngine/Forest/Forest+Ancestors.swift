internal import PackedTables

extension Forest {
  /// The entities above an entity, nearest first, without the system; none for one that is not there.
  ///
  /// A change of the subtree of any of them may change a decision about the entity.
  package func ancestors(of identifier: String) -> [String] {
    guard var current = held(identifier), current != Self.system else { return [] }
    var ancestors: [String] = []
    current = nodes[Int(current)].parent
    while current != Self.system {
      ancestors.append(entities.text(current))
      current = nodes[Int(current)].parent
    }
    return ancestors
  }

  /// The entities whose roles may reach an entity through links.
  package func linkSources(of identifier: String) -> [String] {
    guard let entity = held(identifier), let edges = linksTo[entity] else { return [] }
    return edges.map { entities.text($0.entity) }
  }

  /// An entity from which no walk of at most `depthMax` steps leads to the system; nil when there is
  /// none.
  ///
  /// Of a forest that was loaded: everything else here goes up without looking, and would never end
  /// in a circle.
  package var unrootedEntity: String? {
    for index in 0..<nodes.count where nodes[index].isAlive && !isRooted(UInt32(index)) {
      return entities.text(UInt32(index))
    }
    return nil
  }

  private func isRooted(_ entity: UInt32) -> Bool {
    var current = entity
    for _ in 0...Self.depthMax {
      guard current != Self.system else { return true }
      guard current != Self.none, nodes[Int(current)].isAlive else { return false }
      current = nodes[Int(current)].parent
    }
    return false
  }
}
