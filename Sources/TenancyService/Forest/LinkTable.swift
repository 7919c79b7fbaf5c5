internal import AccessEngine
internal import ServiceKit

enum LinkTable {
  /// The entities that an entity is linked to in any way.
  static func targets(from id: String, in tx: borrowing some Queryable) throws -> [String] {
    try tx.query("SELECT DISTINCT to_id FROM entity_link WHERE from_id = ?", .text(id)) {
      $0.text(0)
    }
  }

  /// The entities that an entity is linked to, in the order given.
  static func targets(
    _ link: String,
    from id: String,
    in tx: borrowing some Queryable
  ) throws -> [String] {
    try tx.query(
      "SELECT to_id FROM entity_link WHERE link = ? AND from_id = ? ORDER BY place, to_id",
      .text(link),
      .text(id)
    ) { $0.text(0) }
  }

  /// The links that lead to an entity, or so many of them.
  static func links(
    to id: String,
    limit: Int = .max,
    in tx: borrowing some Queryable
  ) throws -> [(name: String, from: String, to: String)] {
    try tx.query(
      "SELECT link, from_id, to_id FROM entity_link WHERE to_id = ? LIMIT ?",
      .text(id),
      .integer(limit)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
  }

  /// Links with one end at or below an entity, and the other end elsewhere.
  static func links(
    crossing id: String,
    in tx: borrowing some Queryable
  ) throws -> [(name: String, from: String, to: String)] {
    try tx.query(
      """
      \(Subtree.with)
      SELECT link, from_id, to_id FROM entity_link
      WHERE from_id IN (SELECT id FROM below) AND to_id NOT IN (SELECT id FROM below)
      UNION ALL
      SELECT link, from_id, to_id FROM entity_link
      WHERE to_id IN (SELECT id FROM below) AND from_id NOT IN (SELECT id FROM below)
      """,
      .text(id)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
  }
}

/// Changes of links, each with its entry in the change log.
extension LinkTable {
  static func set(
    _ link: LinkID,
    from record: EntityRecord,
    to targets: [String],
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws {
    let name = policy[link].name
    let before = try self.targets(name, from: record.id, in: tx)
    for target in before where !targets.contains(target) {
      _ = try remove(link, from: record.id, to: target, scope: record.rootID, policy, in: tx)
    }
    for (place, target) in targets.enumerated() {
      try tx.execute(
        """
        INSERT INTO entity_link (link, from_id, to_id, place, began_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (link, from_id, to_id) DO UPDATE SET place = excluded.place
        """,
        values: [.text(name), .text(record.id), .text(target), .integer(place), .integer(tx.now)]
      )
      guard !before.contains(target) else { continue }
      let row = LinkRow(link: link, from: record.id, to: target)
      _ = try tx.log(
        .putLink(row),
        subject: target,
        scope: record.rootID,
        touching: [.links(to: target)],
        policy
      )
    }
  }

  /// Removes every link from or to an entity; those to it were in lists of other entities.
  static func removeAll(
    of id: String,
    scope: String,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws {
    let links = try tx.query(
      "SELECT link, from_id, to_id FROM entity_link WHERE from_id = ? OR to_id = ?",
      .text(id),
      .text(id)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
    for link in links { try remove(link, scope: scope, policy, in: tx) }
  }

  /// Removes a link, unless the policy has none of its kind.
  static func remove(
    _ link: (name: String, from: String, to: String),
    scope: String,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let id = policy.link(named: link.name) else { return }
    let revision = try remove(id, from: link.from, to: link.to, scope: scope, policy, in: tx)
    try EntityTable.touch(link.from, revision: revision, in: tx)
  }

  private static func remove(
    _ link: LinkID,
    from: String,
    to: String,
    scope: String,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try keepPast(link: policy[link].name, from: from, to: to, in: tx)
    try tx.execute(
      "DELETE FROM entity_link WHERE link = ? AND from_id = ? AND to_id = ?",
      values: [.text(policy[link].name), .text(from), .text(to)]
    )
    let row = LinkRow(link: link, from: from, to: to)
    return try tx.log(
      .removeLink(row),
      subject: to,
      scope: scope,
      touching: [.links(to: to)],
      policy
    )
  }

  private static func keepPast(
    link: String,
    from: String,
    to: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO past_link (link, from_id, to_id, began_at, ended_at)
      SELECT link, from_id, to_id, began_at, ? FROM entity_link
      WHERE link = ? AND from_id = ? AND to_id = ?
      """,
      values: [.integer(tx.now), .text(link), .text(from), .text(to)]
    )
  }
}
