extension Forest {
  /// The entities above an entity, nearest first, without the system; none for one that is not there.
  ///
  /// A change of the subtree of any of them may change a decision about the entity.
  func ancestors(of identifier: String) -> [String] {
    guard var current = entity(identifier), current != Self.system else { return [] }
    var ancestors: [String] = []
    current = nodes[Int(current)].parent
    while current != Self.system {
      ancestors.append(entities.text(current))
      current = nodes[Int(current)].parent
    }
    return ancestors
  }
}
