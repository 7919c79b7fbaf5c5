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
}
