internal import AccessEngine
internal import ServiceKit

/// The payload of a change of the forest in the change log.
///
/// Names instead of places in the policy, so that a change means the same under another policy.
extension ForestChange {
  /// Another policy was loaded, in the change log; no change of the forest.
  static let policyKind = "policy.loaded"
  /// The features of an entity, the change's subject, have changed; no change of the forest.
  ///
  /// The subject `Forest.systemIdentifier` stands for all entities.
  static let featuresKind = "features.changed"
  /// The kind of an entity that is there; its payload is `EntityRecord.changePayload`.
  static let entityKind = "entity.put"
  /// The kind of an entity that was deleted; its payload is that of `leftKind`.
  static let removedKind = "entity.removed"
  /// The kind of an entity that is moved away from below another, for those who saw it there; the next change of the
  /// entity says where it goes.
  static let leftKind = "entity.left"

  /// The kind of a user's suspension, and of its end.
  static let suspendedKind = "subject.suspended"

  /// The payload of a change that takes an entity away from below another.
  static func payload(leaving parent: String, _ id: String) -> [UInt8] {
    JSONValue.array([.string(id), .string(parent)]).bytes
  }

  var kind: String {
    switch self {
    case .putEntity: Self.entityKind
    case .leaving: Self.leftKind
    case .removeEntity: Self.removedKind
    case .putAssociation: "association.put"
    case .removeAssociation: "association.removed"
    case .putLink: "link.put"
    case .removeLink: "link.removed"
    case .setSuspended: Self.suspendedKind
    case .putVariant: "role.put"
    case .removeVariant: "role.removed"
    }
  }

  func payload(_ policy: Policy) -> [UInt8] {
    let value: JSONValue
    switch self {
    case .putEntity: preconditionFailure("EntityRecord.changePayload writes an entity's change")
    case .leaving(let id), .removeEntity(let id), .removeAssociation(let id),
      .removeVariant(let id):
      value = [.string(id)]
    case .putAssociation(let row):
      value = [
        .string(row.id), .string(row.subject), .string(policy[row.role].name),
        .string(row.entity), .number(JSONNumber(row.validFrom)),
        .number(JSONNumber(row.validUntil)), row.recurring.map { .string($0.storedText) } ?? .null,
        .string(row.variant),
      ]
    case .putVariant(let row):
      value = [
        .string(row.id), .string(row.root), .string(row.name), .string(policy[row.base].name),
        .array(row.actions.map { .string(policy[$0]) }),
      ]
    case .putLink(let row), .removeLink(let row):
      value = [.string(policy[row.link].name), .string(row.from), .string(row.to)]
    case .setSuspended(let subject, let isSuspended):
      value = [.string(subject), .boolean(isSuspended)]
    }
    return value.bytes
  }

  /// Reads a change of the log back; nil as in the other initialiser.
  init?(_ change: Change, _ policy: Policy) {
    self.init(kind: change.kind, payload: change.payload, policy: policy)
  }

  /// Reads a change back; nil when it is none of the forest, or speaks of what the policy has not.
  init?(kind: String, payload: [UInt8], policy: Policy) {
    let limits = JSONLimits(byteCountMax: 1 << 20)
    guard let fields = try? JSONReader.read(payload, limits: limits).array,
      let first = fields.first?.string
    else { return nil }
    switch (kind, fields.count) {
    // A sixth field says that it was just made.
    case (Self.entityKind, 5...6):
      guard let type = fields[1].string, let parent = fields[2].string,
        let name = fields[3].string, fields[4].object != nil || fields[4] == .null,
        var row = EntityRow(
          id: first,
          type: type,
          parent: parent,
          name: name,
          attributes: fields[4].object?.members.map { ($0.name, $0.value) },
          policy
        )
      else { return nil }
      row.isNew = fields.count > 5
      self = .putEntity(row)
    case (Self.leftKind, 2): self = .leaving(first)
    // Before apps watched there was no parent.
    case (Self.removedKind, 1...2): self = .removeEntity(first)
    // Before there were recurring windows and roles of tenants' own there were six.
    case ("association.put", 6...8):
      guard let subject = fields[1].string,
        let role = fields[2].string.flatMap({ policy.role(named: $0) }),
        let entity = fields[3].string, let from = fields[4].integer, let until = fields[5].integer
      else { return nil }
      let text = fields.count > 6 ? fields[6].string : nil
      let recurring = text.flatMap { RecurringWindow(storedText: $0) }
      guard text == nil || recurring != nil else { return nil }
      self = .putAssociation(
        AssociationRow(
          id: first,
          subject: subject,
          role: role,
          entity: entity,
          validFrom: from,
          validUntil: until,
          recurring: recurring,
          variant: fields.count > 7 ? fields[7].string ?? "" : ""
        )
      )
    case ("role.put", 5):
      guard let root = fields[1].string, let name = fields[2].string,
        let base = fields[3].string.flatMap({ policy.role(named: $0) }),
        let actions = fields[4].array
      else { return nil }
      self = .putVariant(
        VariantRow(
          id: first,
          root: root,
          name: name,
          base: base,
          actions: actions.compactMap { $0.string.flatMap { policy.action(named: $0) } }
        )
      )
    case ("role.removed", 1): self = .removeVariant(first)
    case ("association.removed", 1): self = .removeAssociation(first)
    case ("link.put", 3), ("link.removed", 3):
      guard let link = policy.link(named: first), let from = fields[1].string,
        let to = fields[2].string
      else { return nil }
      let row = LinkRow(link: link, from: from, to: to)
      self = kind == "link.put" ? .putLink(row) : .removeLink(row)
    case (Self.suspendedKind, 2):
      guard let isSuspended = fields[1].boolean else { return nil }
      self = .setSuspended(first, isSuspended)
    default: return nil
    }
  }
}

extension Change {
  /// The parent of an entity that was taken away from below it; empty where the change does not say.
  var formerParent: String {
    let fields = try? JSONReader.read(payload, limits: JSONLimits(byteCountMax: 1 << 10)).array
    return fields.flatMap { $0.count > 1 ? $0[1].string : nil } ?? ""
  }
}

extension WriteTransaction {
  /// Appends a change of the forest to the change log; its revision, which is that of revision tokens.
  func log(
    _ change: ForestChange,
    subject: String,
    scope: String,
    touching keys: [ConflictKey],
    _ policy: Policy
  ) throws -> Int64 {
    // Another one may lack what the change speaks of.
    try rely(on: .policy)
    return try appendChange(
      kind: change.kind,
      subject: subject,
      scope: scope,
      payload: change.payload(policy),
      touching: keys
    )
  }
}

extension EntityRow {
  /// An entity in the words of the store; nil when the policy knows no such type.
  ///
  /// Only texts and flags can matter to conditions. `attributes` are nil when they cannot be read:
  /// then there are none, not even defaults, which would let happen what the lost ones may have
  /// forbidden.
  init?(
    id: String,
    type typeName: String,
    parent: String,
    name: String,
    attributes: [(name: String, value: JSONValue)]?,
    _ policy: Policy
  ) {
    guard let type = policy.type(named: typeName) else { return nil }
    var values: [String: Attribute.Value] = [:]
    for (name, value) in attributes ?? [] {
      switch value {
      case .string(let text): values[name] = .text(text)
      case .boolean(let flag): values[name] = .boolean(flag)
      default: break
      }
    }
    var codes = policy[type].codes(values)
    if attributes == nil { codes = codes.map { _ in 0 } }
    self.init(id: id, type: type, parent: parent, name: name, codes: codes)
  }
}
