internal import AccessEngine
internal import ServiceKit

/// An entity as the store keeps it.
struct EntityRecord: Hashable, Sendable {
  var id: String
  /// The type as the policy names it.
  var type: String
  /// The entity above; the system's for a root.
  var parentID: String
  /// The root of its tree: the tenant.
  var rootID: String
  var name: String
  var attributes: [String: JSONValue] {
    didSet { unreadableAttributes = nil }
  }
  /// The stored text in place of attributes when that is not ours; no condition on them holds then.
  private(set) var unreadableAttributes: String?
  /// The state that was last requested; empty before the first time.
  var desiredState: String
  /// Everything else that was last requested of it, by name.
  var desiredValues: [String: JSONValue]
  /// When its device last reported something else, in milliseconds since 1970; nil if never.
  var reportedAt: Int64?
  /// The revision of its last change.
  var revision: Int64
  /// Milliseconds since 1970.
  var createdAt: Int64
  var updatedAt: Int64

  static let columns = RecordColumns<EntityRecord>(
    "entity",
    .text("id", \.id),
    .text("type", \.type),
    .text("parent_id", \.parentID),
    .text("root_id", \.rootID),
    .text("name", \.name),
    .text("attributes", \.attributesText),
    .text("desired_state", \.desiredState),
    .text("desired", \.desiredText),
    .optionalInteger("reported_at", \.reportedAt),
    .integer("revision", \.revision),
    .integer("created_at", \.createdAt),
    .integer("updated_at", \.updatedAt)
  ) { EntityRecord(row: &$0) }

  /// The columns that a change of an entity writes.
  static let change = columns.update(
    "parent_id",
    "root_id",
    "name",
    "attributes",
    "desired_state",
    "desired",
    "reported_at",
    "revision",
    "updated_at",
    where: "id = ?"
  )

  /// Bytes of attributes that the store takes, as JSON.
  static let attributesByteCountMax = 16 << 10

  init(
    id: String,
    type: String,
    parentID: String,
    rootID: String,
    name: String,
    attributes: [String: JSONValue] = [:],
    now: Int64
  ) {
    self.id = id
    self.type = type
    self.parentID = parentID
    self.rootID = rootID
    self.name = name
    self.attributes = attributes
    desiredState = ""
    desiredValues = [:]
    reportedAt = nil
    revision = 0
    createdAt = now
    updatedAt = now
  }

  private init(row: inout RowReader) {
    id = row.text()
    type = row.text()
    parentID = row.optionalText() ?? ""
    rootID = row.text()
    name = row.text()
    let text = row.text()
    let read = Self.attributes(text)
    attributes = read ?? [:]
    unreadableAttributes = read == nil ? text : nil
    desiredState = row.text()
    let desired = row.text()
    desiredValues = desired.isEmpty ? [:] : Self.attributes(desired) ?? [:]
    reportedAt = row.optionalInteger()
    revision = row.integer()
    createdAt = row.integer()
    updatedAt = row.integer()
  }

  /// Attributes as JSON, names sorted, so that equal ones give equal text.
  var attributesText: String {
    unreadableAttributes ?? Self.text(of: attributes)
  }

  /// Requested values as JSON, like attributes; empty for none, as for everything that is no device.
  var desiredText: String { desiredValues.isEmpty ? "" : Self.text(of: desiredValues) }

  private static func text(of values: [String: JSONValue]) -> String {
    var object = JSONObject()
    for name in values.keys.sorted() { object[name] = values[name] }
    return JSONValue.object(object).text
  }

  /// Digest for the audit log: all that people can change.
  var digest: [UInt8] {
    Digests.sha256(lines: id, type, parentID, name, attributesText, desiredState + desiredText)
  }

  private static func attributes(_ text: String) -> [String: JSONValue]? {
    let limits = JSONLimits(byteCountMax: attributesByteCountMax * 4)
    guard let object = try? JSONReader.read([UInt8](text.utf8), limits: limits).object else {
      // We wrote it; a file that was changed by hand shows no attributes instead of ending us.
      return nil
    }
    return Dictionary(object.members.map { ($0.name, $0.value) }) { _, last in last }
  }

  /// As the engine needs it; nil when the policy knows no such type.
  func row(_ policy: Policy) -> EntityRow? {
    EntityRow(
      id: id,
      type: type,
      parent: parentID,
      name: name,
      attributes: unreadableAttributes == nil ? attributes.map { ($0.key, $0.value) } : nil,
      policy
    )
  }
}

extension EntityRecord: AuditedRecord {
  var auditObject: String { id }
  var auditDetail: String { "" }
}

enum EntityTable {
  static func find(
    _ id: String,
    type: String,
    in tx: borrowing some Queryable
  ) throws -> EntityRecord? {
    try tx.first(EntityRecord.columns, "WHERE id = ? AND type = ?", .text(id), .text(type))
  }

  /// Those of the entities that are there, in the order asked for.
  static func all(_ ids: [String], in tx: borrowing some Queryable) throws -> [EntityRecord] {
    guard !ids.isEmpty else { return [] }
    let found = try tx.query(
      EntityRecord.columns,
      "WHERE id IN (\(Placeholders.list(ids.count)))",
      values: ids.map { .text($0) }
    )
    let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { byID[$0] }
  }

  /// An entity and everything below it, what lies deepest first.
  static func subtree(of id: String, in tx: borrowing some Queryable) throws -> [EntityRecord] {
    try tx.query(
      """
      WITH RECURSIVE below (id, depth) AS (
        SELECT id, 0 FROM entity WHERE id = ?
        UNION ALL
        SELECT entity.id, below.depth + 1 FROM entity JOIN below ON entity.parent_id = below.id
      )
      SELECT \(EntityRecord.columns.list(of: "entity"))
      FROM below JOIN entity ON entity.id = below.id ORDER BY below.depth DESC, entity.id
      """,
      .text(id)
    ) { try EntityRecord.columns.record($0) }
  }
}

extension EntityRecord {
  /// The payload of an existing entity in the change log: what any policy could ask of it.
  var changePayload: [UInt8] { changePayload(isNew: false) }

  /// The same of one that is just being made: memory has its tree whole then, if it is the root.
  var creationPayload: [UInt8] { changePayload(isNew: true) }

  private func changePayload(isNew: Bool) -> [UInt8] {
    var texts = JSONObject()
    for name in attributes.keys.sorted() {
      switch attributes[name] {
      case .string, .boolean: texts[name] = attributes[name]
      default: break
      }
    }
    var fields: [JSONValue] = [
      .string(id), .string(type), .string(parentID), .string(name),
      unreadableAttributes == nil ? .object(texts) : .null,
    ]
    if isNew { fields.append(.boolean(true)) }
    return JSONValue.array(fields).bytes
  }
}
