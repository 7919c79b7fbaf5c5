internal import AccessEngine
internal import ServiceKit

extension StoreTransaction where Self: ~Copyable {
  /// The entities that an entity is linked to in any way.
  func linkTargets(from id: String) throws -> [String] {
    try query("SELECT DISTINCT to_id FROM entity_link WHERE from_id = ?", .text(id)) { $0.text(0) }
  }

  /// The entities that an entity is linked to, in the order given.
  func linkTargets(_ link: String, from id: String) throws -> [String] {
    try query(
      "SELECT to_id FROM entity_link WHERE link = ? AND from_id = ? ORDER BY place, to_id",
      .text(link),
      .text(id)
    ) { $0.text(0) }
  }
}

/// Changes of links, each with its entry in the change log.
extension WriteTransaction {
  func setLinks(
    _ link: LinkID,
    from record: EntityRecord,
    to targets: [String],
    _ policy: Policy
  ) throws {
    let name = policy[link].name
    let before = try linkTargets(name, from: record.id)
    for target in before where !targets.contains(target) {
      _ = try removeLink(link, from: record.id, to: target, scope: record.rootID, policy)
    }
    for (place, target) in targets.enumerated() {
      try execute(
        """
        INSERT INTO entity_link (link, from_id, to_id, place, began_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (link, from_id, to_id) DO UPDATE SET place = excluded.place
        """,
        values: [.text(name), .text(record.id), .text(target), .integer(place), .integer(now)]
      )
      guard !before.contains(target) else { continue }
      let row = LinkRow(link: link, from: record.id, to: target)
      _ = try log(
        .putLink(row),
        subject: target,
        scope: record.rootID,
        touching: [.links(to: target)],
        policy
      )
    }
  }

  /// Removes every link from or to an entity; those to it were in lists of other entities.
  func removeLinks(of id: String, scope: String, _ policy: Policy) throws {
    let links = try query(
      "SELECT link, from_id, to_id FROM entity_link WHERE from_id = ? OR to_id = ?",
      .text(id),
      .text(id)
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
    for link in links { try removeLink(link, scope: scope, policy) }
  }

  /// Removes a link, unless the policy has none of its kind.
  func removeLink(
    _ link: (name: String, from: String, to: String),
    scope: String,
    _ policy: Policy
  ) throws {
    guard let id = policy.link(named: link.name) else { return }
    let revision = try removeLink(id, from: link.from, to: link.to, scope: scope, policy)
    try touch(link.from, revision: revision)
  }

  private func removeLink(
    _ link: LinkID,
    from: String,
    to: String,
    scope: String,
    _ policy: Policy
  ) throws -> Int64 {
    try keepPast(link: policy[link].name, from: from, to: to)
    try execute(
      "DELETE FROM entity_link WHERE link = ? AND from_id = ? AND to_id = ?",
      values: [.text(policy[link].name), .text(from), .text(to)]
    )
    let row = LinkRow(link: link, from: from, to: to)
    return try log(
      .removeLink(row),
      subject: to,
      scope: scope,
      touching: [.links(to: to)],
      policy
    )
  }

  private func keepPast(link: String, from: String, to: String) throws {
    try execute(
      """
      INSERT INTO past_link (link, from_id, to_id, began_at, ended_at)
      SELECT link, from_id, to_id, began_at, ? FROM entity_link
      WHERE link = ? AND from_id = ? AND to_id = ?
      """,
      values: [.integer(now), .text(link), .text(from), .text(to)]
    )
  }
}
