internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An entity to create, checked against a policy.
struct EntityDraft: Sendable {
  let type: String
  /// The prefix of its identifier, if that is not the policy's business.
  let prefix: IdentifierPrefix?
  /// The entity to create it under; the system's for a root.
  let parentID: String
  let name: String
  let attributes: [String: JSONValue]
  /// Where it stands in the request.
  let field: String

  /// An entity without attributes that a product creates.
  init(type: String, prefix: IdentifierPrefix, parentID: String, name: String) {
    (self.type, self.prefix, self.parentID, self.name) = (type, prefix, parentID, name)
    (attributes, field) = ([:], "")
  }
}

/// A right to create an entity of a type at a place.
struct CreationRight: Sendable {
  let parent: EntityRecord
  /// How much of the new entity its creator sees: a place in the policy's access levels.
  let accessLevel: Int
  /// The role that the creator gets on it; nil for none.
  let creatorRole: String?
}

extension ChangeSet {
  /// Creates an entity, if the policy lets the caller.
  func create(
    _ draft: EntityDraft,
    _ tx: borrowing WriteTransaction
  ) throws -> (record: EntityRecord, accessLevel: Int) {
    let right = try requireCreation(of: draft.type, under: draft.parentID, tx)
    try requireLevel(
      right.accessLevel,
      for: draft.attributes.keys,
      of: draft.type,
      field: "\(draft.field).attributes"
    )
    var record = try insert(
      draft.type,
      draft.prefix ?? policy.identifierPrefix(of: draft.type),
      under: right.parent,
      name: draft.name,
      attributes: draft.attributes,
      tx
    )
    if let role = right.creatorRole {
      _ = try grant(role, to: user.userID, on: record, asCreator: true, tx)
      if core.products.listHolders(of: role, on: record.type) { record = try current(record, tx) }
    }
    return (record, right.accessLevel)
  }

  /// Throws unless the caller may create an entity of a type under another one.
  ///
  /// NOT_FOUND for a parent that the caller may not know of, and PARENT_NOT_ALLOWED for one that the
  /// policy does not allow.
  func requireCreation(
    of type: String,
    under parentID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> CreationRight {
    let place = try EntityTable.all([parentID], in: tx).first
    guard let parent = place, policy.mayHang(type, under: parent.type) else {
      let standing = try core.standing(on: parentID, type: place?.type, user, tx)
      // Everybody knows that there is a system above all roots.
      let isShown =
        standing.knows || (parentID == Forest.systemIdentifier && !standing.isSuspension)
      guard let place, isShown else {
        throw core.refusal(of: "\(type).create", on: parentID, standing, user)
      }
      throw PlaceError.parentNotAllowed(type, under: place.type)
    }
    let action = policy.creation(of: type, under: parent.type)
    if parent.type == BuiltIn.system {
      return try requireRoot(of: type, action, parent, tx)
    }
    let held = try core.require(action, "create", on: parentID, parent, user, tx)
    let creatorRole = held.explanation.creatorRole(below: type)
    let level = held.explanation.accessLevel(below: type)
    return CreationRight(
      parent: parent,
      accessLevel: max(level, creatorRole.map { policy[$0].accessLevel } ?? 0),
      creatorRole: creatorRole.map { policy[$0].name }
    )
  }

  /// Roots are created by those whom the policy allows it, and by everybody where it has
  /// self-service.
  private func requireRoot(
    of type: String,
    _ action: String?,
    _ system: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> CreationRight {
    let explanation = try core.decide(action ?? "", on: system.id, type: BuiltIn.system, user, tx)
    let selfService = policy.selfService(of: type)
    guard explanation.mayCreateRoot(selfService) else {
      try core.requireFeatures(explanation)
      let answer =
        explanation.isSuspension ? TenancyError.suspended : EntityError.selfServiceDisabled
      let deed = action ?? "\(type).create"
      throw answer.denying(deed, on: system.id, because: explanation.reason)
    }
    let level = selfService.map { policy[$0.creatorRole].accessLevel } ?? 0
    return CreationRight(
      parent: system,
      accessLevel: max(level, explanation.accessLevel(below: type)),
      creatorRole: selfService.map { policy[$0.creatorRole].name }
    )
  }

  /// Throws unless the caller sees all of some attributes: nobody sets what they cannot see.
  func requireLevel(
    _ level: Int,
    for names: some Sequence<String>,
    of typeName: String,
    field: String = "attributes"
  ) throws(RPCError) {
    guard let type = policy.type(named: typeName).map({ policy[$0] }) else { return }
    for name in names.sorted() where !AttributeMapping.shows(name, of: type, at: level) {
      throw EntityError.attributeNotVisible("\(field).\(name)")
    }
  }
}

extension Explanation {
  /// Whether the subject may create a root, by its right or by self-service.
  fileprivate func mayCreateRoot(_ selfService: Policy.SelfService?) -> Bool {
    isAllowed || (selfService?.isEnabled == true && !isSuspension)
  }
}

extension TenancyCore {
  /// Whether a user may create a root of a type at the moment.
  func mayCreateRoot(of type: String, _ user: UserIdentity) async throws -> Bool {
    let explanation = try await explanation(
      policy.creation(of: type, under: BuiltIn.system) ?? "",
      on: Forest.systemIdentifier,
      type: BuiltIn.system,
      user
    )
    return explanation.mayCreateRoot(explanation.policy.selfService(of: type))
  }
}
