/// Whether numbers that the engine makes for rows follow one another in the order of the commits.
///
/// Lists and events go by these numbers. A sequence that hands each connection several at once gives a later commit of
/// another program a smaller one, which a reader that has passed it never sees.
enum SequenceOrder {
  /// Throws `cannotOpen`, with what to do, for a store with such a sequence.
  static func require(_ server: PostgresConnection) throws(StoreError) {
    let found = try server.first(
      """
      SELECT CAST(sequencename AS text), cache_size FROM pg_sequences
      WHERE schemaname = current_schema() AND cache_size > 1 ORDER BY sequencename
      """
    ) { (name: $0.text(0), count: $0.integer(1)) }
    guard let found else { return }
    throw .cannotOpen(
      path: server.path,
      detail:
        "the sequence \(found.name) gives each connection \(found.count) numbers at once, so rows would not be "
        + "numbered in the order of their commits: ALTER SEQUENCE \(found.name) CACHE 1, and so on for all of the "
        + "schema (on YugabyteDB after ysql_sequence_cache_minval = 1)"
    )
  }
}
