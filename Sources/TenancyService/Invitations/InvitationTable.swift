internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An invitation as the store keeps it.
struct InvitationRecord: Hashable, Sendable {
  /// The state of an invitation; that it has expired is for the clock to say.
  enum State: String, Sendable {
    case pending
    case accepted
    case declined
    case revoked
  }

  var id: String
  var entityID: String
  /// The role as the policy names it.
  var role: String
  /// As it was given; empty without an address.
  var email: String
  /// Milliseconds since 1970, like all instants here.
  var validFrom: Int64?
  var validUntil: Int64?
  /// When the role counts in between; nil for always.
  var recurring: RecurringWindow?
  /// Also when anyone who accepts has the role for another time.
  var replacesWindow = false
  /// The role's definition when the invitation was made, if the tenant has one of its own; see `InvitedRole`.
  var madeFor: String?
  /// The store's revision when it was made; 0 for those from before that was kept.
  var madeAt: Int64 = 0
  var expiresAt: Int64
  var invitedBy: String
  /// How the inviter had proved to be that: conditions of the policy look at it again.
  var inviterACR: String
  /// The stored digest of the code.
  var codeDigest: [UInt8]
  var createdAt: Int64
  var state = State.pending
  var closedAt: Int64?
  /// The actor who accepted, declined or revoked it; empty before.
  var closedBy = ""
  /// The association that came of it; empty unless accepted.
  var associationID = ""
  /// When it was changed last.
  var updatedAt: Int64
  /// The store's revision of its last change.
  var revision: Int64 = 0
  /// When AuthService last took a mail of it.
  var mailedAt: Int64?
  /// Its mails so far.
  var letterCount: Int64 = 0
  /// When the day began in which it was sent again so often.
  var resentSince: Int64?
  var resentCount: Int64 = 0
  /// The role that came of it by itself, and was not used yet; see `TakenRole`.
  var taken: TakenRole?
  /// The role that an upgrade made it of; empty for all others; filled when read.
  var convertedFrom = ""
  /// Of the entity; filled when read.
  var entityType = ""
  var entityName = ""
  var rootID = ""

  /// Whether it can be accepted.
  func isOpen(at now: Int64) -> Bool { state == .pending && now < expiresAt }

  /// Whether another one of the same address, role and entity would offer nothing else.
  func offers(asMuchAs other: InvitationRecord) -> Bool {
    (validFrom, validUntil, recurring) == (other.validFrom, other.validUntil, other.recurring)
      && (replacesWindow, madeFor) == (other.replacesWindow, other.madeFor)
      && (invitedBy, inviterACR) == (other.invitedBy, other.inviterACR)
  }

  /// Digest for the audit log.
  var digest: [UInt8] {
    // Hours behind the rest, so that invitations from before there were any have the digests they had.
    let hours = (recurring?.storedText).map { "\n\($0)" } ?? ""
    return Digests.sha256(
      lines: id,
      entityID,
      role,
      email,
      "\(validFrom ?? 0)",
      "\(validUntil ?? 0)",
      "\(expiresAt)",
      state.rawValue,
      closedBy + hours
    )
  }

  /// `i` is the invitation in conditions, `e` its entity.
  static let columns = RecordColumns<InvitationRecord>(
    "invitation",
    as: "i",
    joining: "JOIN entity e ON e.id = i.entity_id",
    beside: ["email_key", "code_key"],
    .text("id", \.id),
    .text("entity_id", \.entityID),
    .text("role", \.role),
    .text("email", \.email),
    .optionalInteger("valid_from", \.validFrom),
    .optionalInteger("valid_until", \.validUntil),
    .integer("expires_at", \.expiresAt),
    .text("invited_by", \.invitedBy),
    .text("inviter_acr", \.inviterACR),
    .blob("code_digest", \.codeDigest),
    .integer("created_at", \.createdAt),
    .text("state", \.state.rawValue),
    .optionalInteger("closed_at", \.closedAt),
    .text("closed_by", \.closedBy),
    .text("association_id", \.associationID),
    .joined(.text("e.type", \.entityType)),
    .joined(.text("e.name", \.entityName)),
    .joined(.text("e.root_id", \.rootID)),
    .optionalText("recurring") { $0.recurring?.storedText },
    .boolean("replaces_window", \.replacesWindow),
    .optionalText("made_for", \.madeFor),
    .integer("made_at", \.madeAt),
    .integer("updated_at", \.updatedAt),
    .integer("revision", \.revision),
    .optionalInteger("mailed_at", \.mailedAt),
    .integer("letter_count", \.letterCount),
    .optionalInteger("resent_since", \.resentSince),
    .integer("resent_count", \.resentCount),
    .text("taken_by") { $0.taken?.userID ?? "" },
    .text("taken_role") { $0.taken?.role ?? "" },
    .text("taken_variant") { $0.taken?.variant ?? "" },
    .text("taken_association") { $0.taken?.associationID ?? "" },
    .integer("taken_revision") { $0.taken?.revision ?? 0 },
    .joined(.text(lastConverted, \.convertedFrom))
  ) { InvitationRecord(row: &$0) }

  private static let lastConverted = """
    (SELECT c.association_id FROM converted_role c WHERE c.invitation_id = i.id
      ORDER BY \(ConvertedRoleTable.latestFirst) LIMIT 1)
    """

  private init(row: inout RowReader) {
    id = row.text()
    entityID = row.text()
    role = row.text()
    email = row.text()
    validFrom = row.optionalInteger()
    validUntil = row.optionalInteger()
    expiresAt = row.integer()
    invitedBy = row.text()
    inviterACR = row.text()
    codeDigest = row.blob()
    createdAt = row.integer()
    // A state that this version does not know is not one to accept.
    state = State(rawValue: row.text()) ?? .revoked
    closedAt = row.optionalInteger()
    closedBy = row.text()
    associationID = row.text()
    entityType = row.text()
    entityName = row.text()
    rootID = row.text()
    if let text = row.optionalText() {
      recurring = RecurringWindow(storedText: text)
      // Nor is one whose hours cannot be read: it would count at all hours.
      if recurring == nil { state = .revoked }
    }
    replacesWindow = row.boolean()
    madeFor = row.optionalText()
    madeAt = row.integer()
    updatedAt = row.integer()
    revision = row.integer()
    mailedAt = row.optionalInteger()
    letterCount = row.integer()
    resentSince = row.optionalInteger()
    resentCount = row.integer()
    taken = TakenRole(row: &row)
    convertedFrom = row.optionalText() ?? ""
  }

  /// One to a role on an entity.
  init(
    _ draft: InvitationDraft,
    id: String,
    codeDigest: [UInt8],
    on entity: EntityRecord,
    by user: UserIdentity,
    for definition: RoleDefinitionRecord?,
    at revision: Int64,
    now: Int64
  ) throws(RPCError) {
    self.id = id
    entityID = entity.id
    role = draft.role
    email = draft.email
    validFrom = draft.validFrom
    validUntil = draft.validUntil
    recurring = draft.recurring
    replacesWindow = draft.replacesWindow
    madeFor = definition.map { InvitedRole.text($0) }
    madeAt = revision
    expiresAt = try draft.expiry(now: now)
    invitedBy = user.userID
    inviterACR = user.assurance(at: now).text
    self.codeDigest = codeDigest
    createdAt = now
    updatedAt = now
    letterCount = draft.email.isEmpty ? 0 : 1
    entityType = entity.type
    entityName = entity.name
    rootID = entity.rootID
  }
}

extension InvitationRecord: AuditedRecord {
  var auditObject: String { entityID }
  var auditDetail: String { "\(id) \(role)" }
}

enum InvitationTable {
  /// Bytes of a code's digest that find its row; all of them are compared then.
  private static let keyByteCount = 8

  private static let columns = InvitationRecord.columns
  private static let changing = columns.update(
    "valid_from",
    "valid_until",
    "recurring",
    "expires_at",
    "invited_by",
    "inviter_acr",
    "code_digest",
    "state",
    "closed_at",
    "closed_by",
    "association_id",
    "updated_at",
    "revision",
    "letter_count",
    "resent_since",
    "resent_count",
    "taken_by",
    "taken_role",
    "taken_variant",
    "taken_association",
    "taken_revision",
    where: "id = ?"
  )

  private static let taking = columns.update(
    "taken_by",
    "taken_role",
    "taken_variant",
    "taken_association",
    "taken_revision",
    where: "id = ?"
  )

  static let migration = Migration(
    version: 21,
    // What changes of invitations, their mails, and roles that come of them by themselves.
    sql: """
      ALTER TABLE invitation ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE invitation ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE invitation ADD COLUMN mailed_at BIGINT;
      ALTER TABLE invitation ADD COLUMN letter_count BIGINT NOT NULL DEFAULT 1;
      ALTER TABLE invitation ADD COLUMN resent_since BIGINT;
      ALTER TABLE invitation ADD COLUMN resent_count BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE invitation ADD COLUMN taken_by TEXT NOT NULL DEFAULT '';
      ALTER TABLE invitation ADD COLUMN taken_role TEXT NOT NULL DEFAULT '';
      ALTER TABLE invitation ADD COLUMN taken_variant TEXT NOT NULL DEFAULT '';
      ALTER TABLE invitation ADD COLUMN taken_association TEXT NOT NULL DEFAULT '';
      ALTER TABLE invitation ADD COLUMN taken_revision BIGINT NOT NULL DEFAULT 0;
      UPDATE invitation SET updated_at = coalesce(closed_at, created_at), revision = made_at;
      CREATE INDEX invitation_by_taker ON invitation (taken_by, taken_revision) WHERE taken_by <> '';
      CREATE INDEX invitation_taken_of_inviter ON invitation (invited_by) WHERE taken_by <> '';
      CREATE INDEX invitation_pending_by_role ON invitation (role, id) WHERE state = 'pending';
      """
  )

  static let roots = Migration(
    version: 25,
    // The tree that each is in, which lists of passes look in.
    sql: """
      ALTER TABLE invitation ADD COLUMN root_id TEXT NOT NULL DEFAULT '';
      UPDATE invitation SET root_id =
        coalesce((SELECT root_id FROM entity WHERE id = invitation.entity_id), '');
      CREATE INDEX invitation_pending_by_root ON invitation (root_id, role) WHERE state = 'pending';
      """
  )

  /// Which ones a list is of.
  enum Filter: Sendable {
    case entity(String)
    case inviter(String)
    /// By the address that they are for, as addresses are compared; those that its owner can accept.
    case address(EmailAddress, owner: String)
  }

  /// The column that pending ones are counted by.
  enum PendingColumn: String {
    case entity = "entity_id"
    case inviter = "invited_by"
  }

  /// How many are pending of an entity, or of a user who invites, up to `limit`.
  static func pendingCount(
    _ column: PendingColumn,
    _ value: String,
    limit: Int,
    in tx: borrowing WriteTransaction
  ) throws -> Int {
    try tx.query(
      """
      SELECT 1 FROM invitation WHERE state = 'pending' AND \(column.rawValue) = ? AND expires_at > ?
      LIMIT ?
      """,
      values: [.text(value), .integer(tx.now), .integer(limit)]
    ) { _ in }.count
  }

  private static func key(ofCode digest: [UInt8]) -> SQLValue {
    .blob(Array(digest.prefix(keyByteCount)))
  }

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> InvitationRecord? {
    try tx.first(columns, "WHERE i.id = ?", .text(id))
  }

  /// The invitation of a code.
  static func find(
    codeDigest: [UInt8],
    in tx: borrowing some Queryable
  ) throws -> InvitationRecord? {
    try tx.query(columns, "WHERE i.code_key = ?", key(ofCode: codeDigest))
      .first { Digests.areEqual($0.codeDigest, codeDigest) }
  }

  /// Those to a role on an entity for an address that can be accepted.
  static func open(
    to email: EmailAddress,
    _ role: String,
    on entityID: String,
    in tx: borrowing WriteTransaction
  ) throws -> [InvitationRecord] {
    guard !email.key.isEmpty else { return [] }
    return try tx.query(
      columns,
      """
      WHERE i.email_key = ? AND i.email_key <> '' AND i.entity_id = ? AND i.role = ?
        AND i.state = 'pending' AND i.expires_at > ?
      """,
      values: [.text(email.key), .text(entityID), .text(role), .integer(tx.now)]
    )
  }

  /// Invitations in the order of their identifiers, after one of them.
  static func list(
    _ filter: Filter,
    pendingAt now: Int64?,
    after id: String?,
    _ direction: ListDirection = .ascending,
    skipping skippedCount: Int = 0,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    let (column, value) =
      switch filter {
      case .entity(let id): ("i.entity_id", id)
      case .inviter(let id): ("i.invited_by", id)
      case .address(let address, _): ("i.email_key", address.key)
      }
    var values: [SQLValue] = [.text(value), .text(id ?? direction.firstText)]
    var condition = "\(column) = ? AND i.id \(direction.comparison) ?"
    if let now {
      condition += " AND i.state = 'pending' AND i.expires_at > ?"
      values.append(.integer(now))
    }
    if case .address(_, let owner) = filter {
      condition += " AND i.taken_by = '' AND NOT \(overtaken)"
      values += [.text(owner), .text(owner)]
    }
    values += [.integer(limit), .integer(skippedCount)]
    return try tx.query(
      columns,
      "WHERE \(condition) ORDER BY i.id \(direction.keyword) LIMIT ? OFFSET ?",
      values: values
    )
  }

  /// The kind of changes of invitations for an address, in the change log.
  static let changeKind = "invitation"

  /// The scope of changes for an address: the log keeps no addresses.
  static func scope(of address: EmailAddress) -> String {
    Base64URL.encode(Digests.sha256(lines: "invitation", address.key))
  }

  /// The revision of the change.
  private static func log(
    _ record: InvitationRecord,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let address = EmailAddress(record.email)
    return try tx.appendChange(
      kind: changeKind,
      subject: record.id,
      scope: address.key.isEmpty ? "" : scope(of: address)
    )
  }

  static func insert(_ record: inout InvitationRecord, in tx: borrowing WriteTransaction) throws {
    record.revision = try log(record, in: tx)
    try tx.insert(
      record,
      columns,
      beside: .text(EmailAddress(record.email).key),
      key(ofCode: record.codeDigest)
    )
    try tx.execute(
      "UPDATE invitation SET root_id = (SELECT root_id FROM entity WHERE id = entity_id) WHERE id = ?",
      .text(record.id)
    )
  }

  /// Stores who has taken it, or that nobody has any longer.
  ///
  /// Under the revision and the time that it had, as these are the inviter's to see.
  static func updateTaker(
    of record: inout InvitationRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    let revision = try log(record, in: tx)
    record.taken?.revision = revision
    try tx.update(record, taking, .text(record.id))
  }

  /// Stores what has changed, under the next revision.
  static func update(_ record: inout InvitationRecord, in tx: borrowing WriteTransaction) throws {
    let revision = try log(record, in: tx)
    record.revision = revision
    record.taken?.revision = revision
    record.updatedAt = tx.now
    try tx.update(record, changing, .text(record.id))
    try tx.execute(
      "UPDATE invitation SET code_key = ? WHERE id = ?",
      key(ofCode: record.codeDigest),
      .text(record.id)
    )
  }

  /// A condition on an invitation `i`, which takes the identifier of a user twice: what was decided last about a
  /// person counts.
  ///
  /// Users who were given the role, or have lost it or had it changed, after an invitation was made accept it
  /// no longer: an old invitation does not bring back a role that was taken away, neither by its code nor by
  /// its address. The inviter does not see it, as that would tell whose address it is. An invitation names the
  /// tenant's own role, and the other tables have the role of the policy beside it. Of invitations from before
  /// revisions were kept only times can be compared.
  static let overtaken = """
    (EXISTS (
      SELECT 1 FROM association a LEFT JOIN role_definition d ON d.id = a.variant
      WHERE a.user_id = ? AND a.entity_id = i.entity_id AND coalesce(d.name, a.role) = i.role
        AND a.added > i.made_at)
    OR EXISTS (
      SELECT 1 FROM association_history h
      WHERE h.user_id = ? AND h.ended_at >= i.created_at AND h.entity_id = i.entity_id
        AND CASE h.custom_role WHEN '' THEN h.role ELSE h.custom_role END = i.role
        AND (h.ended_revision > i.made_at OR i.made_at = 0)))
    """

  /// Whether it came too early for somebody.
  static func isOvertaken(
    _ id: String,
    for userID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM invitation i WHERE i.id = ? AND \(Self.overtaken)",
      .text(id),
      .text(userID),
      .text(userID)
    )
  }
}
