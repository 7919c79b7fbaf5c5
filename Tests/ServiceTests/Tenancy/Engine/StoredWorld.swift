import Foundation
import PackedTables
import RPCKitTesting
import ServiceKit

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// A random world as the rows of a store.
struct StoredWorld {
  let database: Database
  /// Keeps the store's files.
  private let folder: TestFolder

  static func open() async throws -> StoredWorld {
    let folder = try TestFolder()
    let database = try await Database.open(
      DatabaseConfiguration(
        .file(folder.path("store")),
        applicationID: TenancySchema.applicationID
      ),
      migrations: TenancySchema.migrations,
      clock: ManualClock(RandomWorld.start)
    )
    return StoredWorld(database: database, folder: folder)
  }

  /// Has the store have what a world has, and nothing else; one role in four came of an invitation that was taken.
  func put(_ world: RandomWorld) async throws {
    let naive = world.naive
    let ids = world.entityIDs.dropFirst().map { (id: $0, depth: Self.path(of: $0, naive).count) }
    let rows = Rows(
      // What is above comes first.
      entities: ids.sorted { $0.depth < $1.depth }.compactMap { Self.record($0.id, naive) },
      definitions: naive.definitions.filter { naive.entities[$0.root] != nil }.map(Self.record),
      associations: naive.associations.map { Self.row($0, world) },
      links: naive.links.map { LinkName(name: $0.name, from: $0.from, to: $0.to) },
      suspended: naive.suspended
    )
    try await database.write { tx in try rows.replace(tx) }
  }

  private struct LinkName: Sendable {
    let name: String
    let from: String
    let to: String
  }

  private struct Association: Sendable {
    let row: AssociationRow
    let role: String
  }

  private struct Rows: Sendable {
    let entities: [EntityRecord]
    let definitions: [RoleDefinitionRecord]
    let associations: [Association]
    let links: [LinkName]
    let suspended: Set<String>

    func replace(_ tx: borrowing WriteTransaction) throws {
      for table in [
        "invitation", "association", "entity_link", "role_definition", "suspension",
      ] { try tx.execute("DELETE FROM \(table)") }
      try tx.execute("DELETE FROM entity WHERE id <> ?", .text(Forest.systemIdentifier))
      for record in entities { try tx.insert(record, EntityRecord.columns) }
      for record in definitions { try tx.insert(record, RoleDefinitionRecord.columns) }
      for (number, association) in associations.enumerated() {
        if number.isMultiple(of: 4) {
          try insertTaken(association, tx)
        } else {
          try insert(association, added: number, tx)
        }
      }
      for link in links {
        try tx.execute(
          "INSERT INTO entity_link (link, from_id, to_id, place) VALUES (?, ?, ?, 0)",
          values: [.text(link.name), .text(link.from), .text(link.to)]
        )
      }
      for user in suspended {
        try tx.execute(
          """
          INSERT INTO suspension (user_id, note, suspended_by, suspended_at, revision)
          VALUES (?, '', '', 0, 0)
          """,
          .text(user)
        )
      }
    }

    private func insert(
      _ association: Association,
      added: Int,
      _ tx: borrowing WriteTransaction
    ) throws {
      let row = association.row
      var record = AssociationRecord(
        id: row.id,
        userID: row.subject,
        entity: EntityRecord(
          id: row.entity,
          type: "",
          parentID: "",
          rootID: "",
          name: "",
          now: 0
        ),
        role: association.role,
        validFrom: row.validFrom == .min ? nil : row.validFrom,
        validUntil: row.validUntil == .max ? nil : row.validUntil,
        recurring: row.recurring,
        grantedBy: "",
        now: 0
      )
      (record.variant, record.added) = (row.variant, Int64(added))
      try tx.insert(record, AssociationRecord.columns)
    }

    private func insertTaken(
      _ association: Association,
      _ tx: borrowing WriteTransaction
    ) throws {
      let row = association.row
      try tx.execute(
        """
        INSERT INTO invitation (id, entity_id, root_id, role, email, email_key, valid_from, valid_until,
          expires_at, invited_by, inviter_acr, code_key, code_digest, created_at, state, closed_by,
          association_id, recurring, taken_by, taken_role, taken_variant, taken_association,
          taken_revision)
        VALUES (?, ?, '', ?, '', '', ?, ?, ?, '', '', ?, ?, 0, 'pending', '', '', ?, ?, ?, ?, ?, 0)
        """,
        values: [
          .text("inv_\(row.id)"), .text(row.entity), .text(association.role),
          row.validFrom == .min ? .null : .integer(row.validFrom),
          row.validUntil == .max ? .null : .integer(row.validUntil), .integer(Int64.max),
          .blob([UInt8](row.id.utf8)), .blob([1]),
          row.recurring.map { .text($0.storedText) } ?? .null, .text(row.subject),
          .text(association.role), .text(row.variant), .text(row.id),
        ]
      )
    }
  }

  // MARK: Records

  private static func record(_ id: String, _ naive: NaiveEvaluator) -> EntityRecord? {
    guard let entity = naive.entities[id] else { return nil }
    var attributes: [String: JSONValue] = [:]
    for (name, value) in entity.attributes {
      if let text = value as? NSString {
        attributes[name] = .string("\(text)")
      } else if let flag = value as? NSNumber {
        attributes[name] = .boolean(flag.boolValue)
      }
    }
    return EntityRecord(
      id: id,
      type: entity.type,
      parentID: entity.parent ?? Forest.systemIdentifier,
      rootID: path(of: id, naive).last ?? "",
      name: id,
      attributes: attributes,
      now: 0
    )
  }

  /// An entity and all above it, without the system.
  private static func path(of id: String, _ naive: NaiveEvaluator) -> [String] {
    guard let entity = naive.entities[id], id != Forest.systemIdentifier else { return [] }
    return [id] + path(of: entity.parent ?? "", naive)
  }

  private static func record(_ definition: NaiveEvaluator.Definition) -> RoleDefinitionRecord {
    RoleDefinitionRecord(
      id: definition.id,
      rootID: definition.root,
      name: definition.name,
      baseRole: definition.base,
      actions: definition.actions.sorted()
    )
  }

  private static func row(
    _ one: NaiveEvaluator.Association,
    _ world: RandomWorld
  ) -> Association {
    let forest = world.forest
    guard let role = world.policy.role(named: one.role),
      let number = forest.associations.row(identifier: one.id)
    else { preconditionFailure("\(one.id) is not in the world") }
    return Association(
      row: AssociationRow(
        id: one.id,
        subject: one.user,
        role: role,
        entity: one.entity,
        validFrom: one.from ?? .min,
        validUntil: one.until ?? .max,
        recurring: forest.associations.window(of: forest.associations.rows[Int(number)]),
        variant: one.variant ?? ""
      ),
      role: one.role
    )
  }
}
