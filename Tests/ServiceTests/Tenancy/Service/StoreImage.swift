import PeerContracts
import ServiceKit

@testable import TenancyService

/// All rows of the store that say who may do what to which entity.
struct StoreImage: Equatable {
  struct Entity: Hashable, Sendable {
    let id: String
    let type: String
    var parent: String
    var root: String
    /// Everything else that the row says.
    let content: String
    var changed: String
  }

  struct Association: Hashable, Sendable {
    let entity: String
    let role: String
    let content: String
  }

  struct Link: Hashable, Sendable {
    let name: String
    let from: String
    let to: String
    let place: Int64
  }

  var entities: [String: Entity] = [:]
  var associations: [String: Association] = [:]
  var links: Set<Link> = []
  /// Which was made first: the order of the rows.
  let ages: [String: Int64]

  static func == (left: StoreImage, right: StoreImage) -> Bool {
    left.entities == right.entities && left.associations == right.associations
      && left.links == right.links
  }

  init(_ database: Database) async throws {
    let rows = try await database.read { tx in
      try tx.query(
        """
        SELECT id, type, parent_id, root_id, name, attributes, desired_state, created_at,
          revision, updated_at, \(TestServer.isUsed ? "revision" : "rowid") FROM entity
        """
      ) { row in
        (
          Entity(
            id: row.text(0),
            type: row.text(1),
            parent: row.optionalText(2) ?? "",
            root: row.text(3),
            content: (4...6).map { row.text($0) }.joined(separator: "|") + "|\(row.integer(7))",
            changed: "\(row.integer(8)) \(row.integer(9))"
          ), row.integer(10)
        )
      }
    }
    ages = Dictionary(uniqueKeysWithValues: rows.map { ($0.0.id, $0.1) })
    entities = Dictionary(uniqueKeysWithValues: rows.map { ($0.0.id, $0.0) })
    let held = try await database.read { tx in
      try tx.query(
        """
        SELECT id, entity_id, role, user_id, granted_by, valid_from, valid_until, created_at, added
        FROM association
        """
      ) { row in
        let window = (5...6).map { "\(row.optionalInteger($0) ?? -1)" }
        let content = [row.text(3), row.text(4)] + window + (7...8).map { "\(row.integer($0))" }
        return (
          row.text(0),
          Association(
            entity: row.text(1),
            role: row.text(2),
            content: content.joined(separator: "|")
          )
        )
      }
    }
    associations = Dictionary(uniqueKeysWithValues: held)
    links = Set(
      try await database.read { tx in
        try tx.query("SELECT link, from_id, to_id, place FROM entity_link") { row in
          Link(name: row.text(0), from: row.text(1), to: row.text(2), place: row.integer(3))
        }
      }
    )
  }

  /// An entity and all below it.
  func subtree(of id: String) -> Set<String> {
    entities.values.filter { $0.parent == id }.reduce(into: [id]) {
      $0.formUnion(subtree(of: $1.id))
    }
  }

  /// Rows that speak of what is not there, and devices outside of any home.
  var orphans: [String] {
    entities.values.filter { $0.type != "system" && entities[$0.parent] == nil }.map(\.id)
      + entities.values.filter { $0.type == "device" && !isHome($0.parent) }.map(\.id)
      + associations.filter { entities[$0.value.entity] == nil }.map(\.key)
      + links.filter { entities[$0.from] == nil || entities[$0.to] == nil }.map { "\($0)" }
      + entities.values.filter { !$0.root.isEmpty && entities[$0.root] == nil }.map(\.id)
  }

  private func isHome(_ id: String) -> Bool {
    ["property", "unit"].contains(entities[id]?.type)
  }

  /// What a deletion leaves, worked out from the rows.
  struct Expectation {
    let after: StoreImage
    let keptDevices: Set<String>
    /// Units whose lists change: those that lose or get devices, and those whose common areas go.
    let listing: Set<String>
    /// Where those are; empty when there are none.
    let home: String
    let counts: [Tenancy_V1.TypeCount]
  }

  func deleting(_ deletion: Deletion) -> Expectation {
    let subtree = subtree(of: deletion.id)
    var home = deletion.home
    if home.isEmpty, deletion.type == "unit", !deletion.deletesDevices {
      home = entities[deletion.id]?.parent ?? ""
    }
    let kept = subtree.filter { !home.isEmpty && entities[$0]?.type == "device" }
    var after = self
    var counts: [String: UInt64] = [:]
    for id in subtree {
      if kept.contains(id) {
        after.entities[id]?.parent = home
        after.entities[id]?.root = entities[home]?.root ?? ""
        after.entities[id]?.changed = ""
      } else {
        counts[entities[id]?.type ?? "", default: 0] += 1
        after.entities[id] = nil
      }
    }
    for (id, association) in associations where subtree.contains(association.entity) {
      counts[association.role == "guest" ? "guest_pass" : "association", default: 0] += 1
      after.associations[id] = nil
    }
    after.links = links.filter { !subtree.contains($0.from) && !subtree.contains($0.to) }
    var listing = Set(
      links.filter { subtree.contains($0.to) && !subtree.contains($0.from) }.map(\.from)
    )
    for unit in [entities[deletion.id]?.parent ?? ""] + (kept.isEmpty ? [] : [home])
    where entities[unit]?.type == "unit" { listing.insert(unit) }
    for unit in listing { after.entities[unit]?.changed = "" }
    return Expectation(
      after: after,
      keptDevices: kept,
      listing: listing,
      home: kept.isEmpty ? "" : home,
      counts: counts.map { .init(type: $0.key, count: $0.value) }.sorted { $0.type < $1.type }
    )
  }

  /// Without the revisions and dates of entities that have others now.
  func settled(_ changed: Set<String>) -> StoreImage {
    var image = self
    for id in changed { image.entities[id]?.changed = "" }
    return image
  }
}
