internal import RPCKit

/// Measures of the trees in memory.
enum TreeMetrics {
  static func register(_ engine: PermissionEngine, _ registry: MetricRegistry) {
    registry.observe(
      "gatehouse_tenancy_trees",
      help: "Trees in memory."
    ) { Double(engine.memory.treeCount) }
    registry.observe(
      "gatehouse_tenancy_tree_bytes",
      help: "Bytes that the trees in memory take, about."
    ) { Double(engine.memory.byteCount) }
    registry.observe(
      "gatehouse_tenancy_tree_releases_total",
      help: "Trees that left memory, as those in use took more than they may.",
      kind: .counter
    ) { Double(engine.memory.releaseCount) }
  }

  /// Counts the questions that are answered by a part of a tree.
  static func parts(_ registry: MetricRegistry) -> Counter {
    registry.counter(
      "gatehouse_tenancy_tree_parts_total",
      help: "Questions answered by a part of a large tree, while all of it was still to be read."
    )
  }
}
