internal import AccessEngine
internal import ServiceKit

/// An association as the store keeps it, with what people want to read beside it.
struct AssociationRecord: Hashable, Sendable {
  var id: String
  var userID: String
  var entityID: String
  /// The role as the policy names it.
  var role: String
  /// The identifier of the tenant-defined role that it is of; empty is the policy's role.
  var variant = ""
  /// The name of that role; filled when read.
  var customRole = ""
  /// Milliseconds since 1970.
  var validFrom: Int64?
  var validUntil: Int64?
  /// When it counts inside of that; nil is always.
  var recurring: RecurringWindow?
  /// Whether the store has a recurring window that cannot be read; such a role never counts.
  private(set) var hasUnreadableWindow = false
  /// The user who gave it; empty when the service did.
  var grantedBy: String
  var createdAt: Int64
  /// The revision at which it was given: the order of lists.
  var added: Int64 = 0
  /// When and at which revision it was given or changed last.
  var updatedAt: Int64
  var revision: Int64 = 0
  /// Whether it came of an invitation by itself and was not used yet; see `TakenRole`.
  var isNew = false
  /// The key of the user's name, by which lists are sorted; see `PersonName`.
  var nameKey = ""
  /// Of the entity; filled when read.
  var entityType = ""
  var entityName = ""
  var rootID = ""

  /// `a` is the association in conditions, `e` its entity.
  static let columns = RecordColumns<AssociationRecord>(
    "association",
    as: "a",
    joining: """
      JOIN entity e ON e.id = a.entity_id LEFT JOIN role_definition d ON d.id = a.variant
      """,
    .text("id", \.id),
    .text("user_id", \.userID),
    .text("entity_id", \.entityID),
    .text("role", \.role),
    .optionalInteger("valid_from", \.validFrom),
    .optionalInteger("valid_until", \.validUntil),
    .text("granted_by", \.grantedBy),
    .integer("created_at", \.createdAt),
    .integer("added", \.added),
    .integer("updated_at", \.updatedAt),
    .integer("revision", \.revision),
    .text("name_key", \.nameKey),
    .joined(.text("e.type", \.entityType)),
    .joined(.text("e.name", \.entityName)),
    .joined(.text("e.root_id", \.rootID)),
    .optionalText("recurring") { $0.recurring?.storedText },
    .text("variant", \.variant),
    .joined(.text("d.name", \.customRole))
  ) { AssociationRecord(row: &$0) }

  init(
    id: String,
    userID: String,
    entity: EntityRecord,
    role: String,
    variant: RoleDefinitionRecord? = nil,
    validFrom: Int64? = nil,
    validUntil: Int64? = nil,
    recurring: RecurringWindow? = nil,
    grantedBy: String,
    now: Int64
  ) {
    self.id = id
    self.userID = userID
    entityID = entity.id
    self.role = role
    self.variant = variant?.id ?? ""
    customRole = variant?.name ?? ""
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.recurring = recurring
    self.grantedBy = grantedBy
    createdAt = now
    updatedAt = now
    entityType = entity.type
    entityName = entity.name
    rootID = entity.rootID
  }

  /// Reads what `columns` has, in its order.
  init(row: inout RowReader) {
    id = row.text()
    userID = row.text()
    entityID = row.text()
    role = row.text()
    validFrom = row.optionalInteger()
    validUntil = row.optionalInteger()
    grantedBy = row.text()
    createdAt = row.integer()
    added = row.integer()
    updatedAt = row.integer()
    revision = row.integer()
    nameKey = row.text()
    entityType = row.text()
    entityName = row.text()
    rootID = row.text()
    if let text = row.optionalText() {
      recurring = RecurringWindow(storedText: text)
      hasUnreadableWindow = recurring == nil
    }
    variant = row.text()
    customRole = row.optionalText() ?? ""
  }

  var window: RoleWindow { RoleWindow(from: validFrom, until: validUntil, recurring: recurring) }

  /// Digest for the audit log.
  var digest: [UInt8] {
    let (from, until) = ("\(validFrom ?? 0)", "\(validUntil ?? 0)")
    guard recurring != nil || !variant.isEmpty else {
      return Digests.sha256(lines: id, userID, entityID, role, from, until)
    }
    let hours = recurring?.storedText ?? ""
    return Digests.sha256(lines: id, userID, entityID, role, from, until, hours, variant)
  }

  /// Whether it begins earlier or ends later than another one, or counts at other hours.
  func exceeds(_ other: AssociationRecord) -> Bool {
    (validFrom ?? .min) < (other.validFrom ?? .min)
      || (validUntil ?? .max) > (other.validUntil ?? .max)
      || other.recurring != nil && recurring != other.recurring
  }

  /// Whether its time has come and is not over.
  func isInForce(at now: Int64) -> Bool {
    (validFrom ?? .min) <= now && now < (validUntil ?? .max)
  }

  /// Whether it is for this time; of two that have begun it does not matter when.
  func hasWindow(_ window: RoleWindow, now: Int64) -> Bool {
    guard validUntil == window.until, recurring == window.recurring else { return false }
    return validFrom == window.from || (validFrom ?? now) <= now && (window.from ?? now) <= now
  }

  /// As the engine needs it; nil when the policy knows no such role.
  func row(_ policy: Policy) -> AssociationRow? {
    guard !hasUnreadableWindow else { return nil }
    return policy.role(named: role).map {
      AssociationRow(
        id: id,
        subject: userID,
        role: $0,
        entity: entityID,
        validFrom: validFrom ?? .min,
        validUntil: validUntil ?? .max,
        recurring: recurring,
        variant: variant
      )
    }
  }
}

extension AssociationRecord: AuditedRecord {
  var auditObject: String { entityID }
  var auditDetail: String { "\(id) \(userID)" }
}

enum AssociationTable {
  static func find(_ id: String, in tx: borrowing some Queryable) throws -> AssociationRecord? {
    try tx.first(AssociationRecord.columns, "WHERE a.id = ?", .text(id))
  }

  /// Associations on an entity, in the order they were given; with one role if given.
  static func all(
    on entityID: String,
    role: String? = nil,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE a.entity_id = ? \(role == nil ? "" : "AND a.role = ?") ORDER BY a.added",
      values: [.text(entityID)] + (role.map { [.text($0)] } ?? [])
    )
  }

  /// The associations of a user on an entity, of one role, or of one variant of it.
  static func all(
    of userID: String,
    on entityID: String,
    role: String,
    variant: String? = nil,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try all(on: entityID, role: role, in: tx).filter {
      $0.userID == userID && $0.variant == variant ?? ""
    }
  }

  /// Everything that a user has on an entity, in the order it was given.
  static func all(
    ofUser userID: String,
    on entityID: String,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    let condition = "WHERE a.user_id = ? AND a.entity_id = ? ORDER BY a.added"
    return try tx.query(AssociationRecord.columns, condition, .text(userID), .text(entityID))
  }

  /// Everything that a user has, in the order it was given, or so much of it.
  static func all(
    ofUser userID: String,
    limit: Int = .max,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    let condition = "WHERE a.user_id = ? ORDER BY a.added LIMIT ?"
    return try tx.query(AssociationRecord.columns, condition, .text(userID), .integer(limit))
  }

  /// The roles that a user has given others, in the order they were given.
  static func all(
    lentBy userID: String,
    roles: [String],
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      AssociationRecord.columns,
      "WHERE a.granted_by = ? AND a.role IN (\(Placeholders.list(roles.count))) ORDER BY a.added",
      values: [.text(userID)] + roles.map { .text($0) }
    )
  }

  /// Associations of some roles on an entity and everything below it, in the order they were given.
  static func all(
    within id: String,
    roles: [String],
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    guard !roles.isEmpty else { return [] }
    return try tx.query(
      """
      \(Subtree.with) \(AssociationRecord.columns.selection)
      WHERE a.entity_id IN (SELECT id FROM below) AND a.role IN (\(Placeholders.list(roles.count))) ORDER BY a.added
      """,
      values: [.text(id)] + roles.map { .text($0) }
    ) { try AssociationRecord.columns.record($0) }
  }

  /// Those of the associations that are there, in the order asked for.
  static func all(_ ids: [String], in tx: borrowing some Queryable) throws -> [AssociationRecord] {
    guard !ids.isEmpty else { return [] }
    let found = try tx.query(
      AssociationRecord.columns,
      "WHERE a.id IN (\(Placeholders.list(ids.count)))",
      values: ids.map { .text($0) }
    )
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { byID[$0] }
  }

  /// How many associations are of a tenant-defined role.
  static func count(
    of definition: RoleDefinitionRecord,
    in tx: borrowing some Queryable
  ) throws -> Int {
    try tx.first("SELECT count(*) FROM association WHERE variant = ?", .text(definition.id)) {
      Int($0.integer(0))
    } ?? 0
  }

  /// Whether somebody has a tenant-defined role on an entity or below it.
  static func hasVariants(within id: String, in tx: borrowing some Queryable) throws -> Bool {
    try tx.exists(
      """
      \(Subtree.with) SELECT 1 FROM association
      WHERE variant <> '' AND entity_id IN (SELECT id FROM below)
      """,
      .text(id)
    )
  }
}

/// An association as far as it takes to decide whether it grants something.
struct AssociationPlace: Sendable {
  let id: String
  let userID: String
  let role: String
  /// The revision at which it was given: the order of lists.
  let added: Int64
}

extension AssociationTable {
  /// The first associations on any of some entities that were given after a revision, in that order.
  static func places(
    on entityIDs: [String],
    after added: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AssociationPlace] {
    var places: [AssociationPlace] = []
    // One range of the index each: to have all of them sorted, the store would read each to its end.
    for id in Set(entityIDs) {
      places += try tx.query(
        """
        SELECT id, user_id, role, added FROM association
        WHERE entity_id = ? AND added > ? ORDER BY added LIMIT ?
        """,
        values: [.text(id), .integer(added), .integer(limit)]
      ) {
        AssociationPlace(
          id: $0.text(0),
          userID: $0.text(1),
          role: $0.text(2),
          added: $0.integer(3)
        )
      }
    }
    places.sort { $0.added < $1.added }
    return Array(places.prefix(limit))
  }
}

/// Changes of associations, each with its entry in the change log.
extension AssociationTable {
  /// Adds an association, or changes its window and who answers for it.
  static func put(
    _ record: AssociationRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try tx.rely(on: .policy)
    guard let row = record.row(policy) else {
      preconditionFailure("an association of role \(record.role), which the policy does not have")
    }
    var record = record
    let isStored = record.added != 0
    // Before the change of the association, whose revision is the last one of the write.
    record.nameKey = try PersonTable.note(person: record.userID, in: tx)
    record.added = try tx.log(
      .putAssociation(row),
      subject: record.userID,
      scope: record.rootID,
      touching: touched(by: record),
      policy
    )
    (record.revision, record.updatedAt) = (record.added, tx.now)
    try tx.insert(
      record,
      AssociationRecord.columns,
      clause: """
        ON CONFLICT (id) DO UPDATE SET valid_from = excluded.valid_from,
          valid_until = excluded.valid_until, granted_by = excluded.granted_by,
          recurring = excluded.recurring, updated_at = excluded.updated_at,
          revision = excluded.revision
        """
    )
    if isStored { try AssociationHistoryTable.end(of: record.id, in: tx) }
    try AssociationHistoryTable.begin(of: record, in: tx)
    return record.added
  }

  static func remove(
    _ record: AssociationRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try tx.execute("DELETE FROM association WHERE id = ?", .text(record.id))
    let revision = try tx.log(
      .removeAssociation(record.id),
      subject: record.userID,
      scope: record.rootID,
      touching: touched(by: record),
      policy
    )
    try AssociationHistoryTable.end(of: record.id, in: tx)
    return revision
  }

  /// Gives the entity of a role that was given, changed or taken the revision of that, if it lists the holders.
  static func touch(
    listing record: AssociationRecord,
    revision: Int64,
    _ products: [any Product.Type],
    in tx: borrowing WriteTransaction
  ) throws {
    guard products.listHolders(of: record.role, on: record.entityType) else { return }
    try EntityTable.touch(record.entityID, revision: revision, in: tx)
  }

  private static func touched(by record: AssociationRecord) -> [ConflictKey] {
    [.roles(of: record.userID, on: record.entityID), .roles(of: record.userID)]
  }
}
