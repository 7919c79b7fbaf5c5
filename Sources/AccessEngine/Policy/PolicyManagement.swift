internal import StrictJSON

extension Policy {
  /// Which actions of a type it takes to do something to its entities; nil is nobody.
  package struct EntityActions: Sendable {
    package var view: String?
    package var update: String?
    package var move: String?
    package var delete: String?
    package var listRoles: String?
    /// Actions of parents, by their type.
    package var create: [String: String] = [:]
  }

  /// Which actions it takes to grant and revoke a role, by the type that it is held on.
  package struct RoleActions: Sendable {
    package var grant: [String: String] = [:]
    package var revoke: [String: String] = [:]
  }
}

/// What a policy says of entities and roles as such: which actions create, change and grant them.
extension PolicyReader {
  /// An action that a policy names where it declares none.
  struct NamedAction {
    let field: JSONField
    let type: Int
    let action: String
  }

  mutating func readEntityActions(
    _ field: JSONField?,
    type: String,
    parents: EntityTypeSet
  ) throws(JSONDecodingError) -> Policy.EntityActions {
    var actions = Policy.EntityActions()
    guard let field, let place = typeNames.firstIndex(of: type) else { return actions }
    var members = try field.members()
    actions.view = try name(members.optional("view"), of: place)
    actions.update = try name(members.optional("update"), of: place)
    actions.move = try name(members.optional("move"), of: place)
    actions.delete = try name(members.optional("delete"), of: place)
    actions.listRoles = try name(members.optional("list_associations"), of: place)
    actions.create = try readByType(members.optional("create"), in: parents, "a parent")
    try members.finish()
    return actions
  }

  mutating func readRoleActions(
    _ members: inout JSONMembers,
    heldOn: EntityTypeSet
  ) throws(JSONDecodingError) -> Policy.RoleActions {
    let held = "held by this role"
    let grant = try readByType(members.optional("granted_by"), in: heldOn, held)
    let field = members.optional("removed_by")
    let revoke = try readByType(field, in: heldOn, held)
    return Policy.RoleActions(grant: grant, revoke: field == nil ? grant : revoke)
  }

  /// One action for all of some types, or one for each that is named.
  private mutating func readByType(
    _ field: JSONField?,
    in types: EntityTypeSet,
    _ relation: String
  ) throws(JSONDecodingError) -> [String: String] {
    guard let field else { return [:] }
    var actions: [String: String] = [:]
    guard field.value.string == nil else {
      for (place, type) in typeNames.enumerated()
      where types.contains(EntityTypeID(index: UInt8(place))) {
        actions[type] = try name(field, of: place)
      }
      return actions
    }
    for member in try field.members().all() {
      guard let place = typeNames.firstIndex(of: member.name),
        types.contains(EntityTypeID(index: UInt8(place)))
      else { throw member.field.error("\"\(member.name)\" is not \(relation)") }
      actions[member.name] = try name(member.field, of: place)
    }
    return actions
  }

  private mutating func name(
    _ field: JSONField?,
    of type: Int
  ) throws(JSONDecodingError) -> String? {
    guard let field else { return nil }
    let action = try field.string()
    namedActions.append(NamedAction(field: field, type: type, action: action))
    return action
  }

  /// What is named before all actions are known.
  func checkNamedActions(_ rules: [Policy.ActionRule?]) throws(JSONDecodingError) {
    for named in namedActions {
      let place = actions.firstIndex(of: named.action)
      guard place.flatMap({ rules[named.type * actions.count + $0] }) == nil else { continue }
      throw named.field.error("\"\(named.action)\" is not an action of \(typeNames[named.type])")
    }
  }

  /// What identifiers of a type begin with.
  static func readPrefix(_ field: JSONField?) throws(JSONDecodingError) -> String {
    guard let field else { return "ent" }
    let prefix = try field.string()
    let isLetters = prefix.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard isLetters, (2...8).contains(prefix.utf8.count) else {
      throw field.error("must be 2 to 8 of a-z")
    }
    return prefix
  }
}
