internal import AccessEngine
internal import ServiceKit

/// A tenant-defined role as the store keeps it: a variant of a role of the policy.
struct RoleDefinitionRecord: Hashable, Sendable {
  var id: String
  /// The tenant: the root of a tree.
  var rootID: String
  /// That of its base role if it stands for that inside the tenant.
  var name: String
  /// The role of the policy that it is a variant of.
  var baseRole: String
  /// The actions that it includes, sorted.
  var actions: [String]
  /// The actor who put it there as it is.
  var definedBy = ""
  /// Milliseconds since 1970.
  var createdAt: Int64 = 0
  var updatedAt: Int64 = 0
  var revision: Int64 = 0

  /// Roles of one tenant, at most.
  static let countMax = 64

  static let columns = RecordColumns<RoleDefinitionRecord>(
    "role_definition",
    .text("id", \.id),
    .text("root_id", \.rootID),
    .text("name", \.name),
    .text("base_role", \.baseRole),
    .text("actions", \.actionsText),
    .text("defined_by", \.definedBy),
    .integer("created_at", \.createdAt),
    .integer("updated_at", \.updatedAt),
    .integer("revision", \.revision)
  ) { RoleDefinitionRecord(row: &$0) }

  init(id: String, rootID: String, name: String, baseRole: String, actions: [String]) {
    (self.id, self.rootID, self.name, self.baseRole) = (id, rootID, name, baseRole)
    self.actions = actions
  }

  private init(row: inout RowReader) {
    id = row.text()
    rootID = row.text()
    name = row.text()
    baseRole = row.text()
    actions = row.text().split(separator: " ").map(String.init)
    definedBy = row.text()
    createdAt = row.integer()
    updatedAt = row.integer()
    revision = row.integer()
  }

  /// Whether it stands for the role of the policy that it is a variant of.
  var replacesBase: Bool { name == baseRole }

  /// Digest for the audit log.
  var digest: [UInt8] { Digests.sha256(lines: id, rootID, name, baseRole, actionsText) }

  private var actionsText: String { actions.joined(separator: " ") }

  /// As the engine needs it; nil when the policy has no such base role.
  func row(_ policy: Policy) -> VariantRow? {
    policy.role(named: baseRole).map {
      VariantRow(
        id: id,
        root: rootID,
        name: name,
        base: $0,
        actions: actions.compactMap { policy.action(named: $0) }
      )
    }
  }
}

extension RoleDefinitionRecord: AuditedRecord {
  var auditObject: String { rootID }
  var auditDetail: String { "\(id) \(name)" }
}

enum RoleDefinitionTable {
  /// All roles of all tenants' own.
  static func all(in tx: borrowing some Queryable) throws -> [RoleDefinitionRecord] {
    try tx.query(RoleDefinitionRecord.columns, "ORDER BY id")
  }

  /// The tenant-defined roles, by name.
  static func all(
    of rootID: String,
    in tx: borrowing some Queryable
  ) throws -> [RoleDefinitionRecord] {
    try tx.query(RoleDefinitionRecord.columns, "WHERE root_id = ? ORDER BY name", .text(rootID))
  }

  /// A tenant-defined role.
  static func find(
    _ name: String,
    of rootID: String,
    in tx: borrowing some Queryable
  ) throws -> RoleDefinitionRecord? {
    try tx.first(
      RoleDefinitionRecord.columns,
      "WHERE root_id = ? AND name = ?",
      .text(rootID),
      .text(name)
    )
  }

  /// The tenant-defined roles at an instant.
  static func all(
    of rootID: String,
    at instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> [RoleDefinitionRecord] {
    let columns = "id, root_id, name, base_role, actions"
    return try tx.query(
      """
      SELECT \(columns), '', created_at, 0, 0 FROM (
        SELECT \(columns), created_at, row_number() OVER (PARTITION BY id ORDER BY sequence) AS place
        FROM past_role_definition WHERE root_id = ? AND ended_at > ? AND created_at <= ?) AS past
      WHERE place = 1
      UNION ALL
      SELECT \(columns), '', created_at, 0, 0 FROM role_definition
      WHERE root_id = ? AND created_at <= ? AND id NOT IN (
        SELECT id FROM past_role_definition WHERE root_id = ? AND ended_at > ?)
      """,
      values: [
        .text(rootID), .integer(instant), .integer(instant), .text(rootID), .integer(instant),
        .text(rootID), .integer(instant),
      ]
    ) { try RoleDefinitionRecord.columns.record($0) }
  }
}

extension RoleDefinitionTable {
  /// Adds a tenant-defined role, or changes it; the record as it is now.
  static func put(
    _ record: RoleDefinitionRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> RoleDefinitionRecord {
    guard let row = record.row(policy) else {
      preconditionFailure("a variant of \(record.baseRole), which the policy does not have")
    }
    var record = record
    record.updatedAt = tx.now
    record.revision = try log(.putVariant(row), of: record, policy, in: tx)
    try keepPast(roleDefinition: record.id, in: tx)
    try tx.insert(
      record,
      RoleDefinitionRecord.columns,
      clause: """
        ON CONFLICT (id) DO UPDATE SET actions = excluded.actions,
          defined_by = excluded.defined_by, updated_at = excluded.updated_at,
          revision = excluded.revision
        """
    )
    return record
  }

  /// Removes a tenant-defined role that nobody has; the revision after it.
  static func remove(
    _ record: RoleDefinitionRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try keepPast(roleDefinition: record.id, in: tx)
    try tx.execute("DELETE FROM role_definition WHERE id = ?", .text(record.id))
    return try log(.removeVariant(record.id), of: record, policy, in: tx)
  }

  /// Logs a change of what is allowed: like a policy, so whatever decides after it in its commit waits for it.
  private static func log(
    _ change: ForestChange,
    of record: RoleDefinitionRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let root = record.rootID
    return try tx.log(change, subject: root, scope: root, touching: [.policy], policy)
  }

  /// Keeps a role of a tenant's own as it is, if it is there, for questions about the past.
  private static func keepPast(roleDefinition id: String, in tx: borrowing WriteTransaction) throws
  {
    try tx.execute(
      """
      INSERT INTO past_role_definition
        (id, root_id, name, base_role, actions, created_at, ended_at)
      SELECT id, root_id, name, base_role, actions, created_at, ? FROM role_definition WHERE id = ?
      """,
      .integer(tx.now),
      .text(id)
    )
  }
}
