internal import StrictJSON

/// Compiles the JSON of a policy, first names, then what refers to them.
struct PolicyReader {
  var accessLevels: [String] = []
  var typeNames: [String] = ["system"]
  var roleNames: [String] = []
  var linkNames: [String] = []
  var links: [Policy.Link] = []
  var actions: [String] = []
  var stepUps: [String] = []
  var features: [String] = []
  /// Of each role, itself and every role that grants all that it grants.
  var including: [RoleSet] = []
  /// Roles that grant every action.
  var almighty = RoleSet.none
  /// Actions that each role has through each link: `[link][role]`, names until all are known.
  var linkActions: [[Set<String>]] = []
  /// Actions that types and roles name, for when all of them are known.
  var namedActions: [NamedAction] = []

  /// Takes every member but the assertions.
  mutating func read(_ members: inout JSONMembers) throws(JSONDecodingError) -> Policy {
    let name = try Self.name(try members.required("name"))
    let version = try members.required("version").integer(in: 1...Int64(Int32.max))
    accessLevels = try members.required("access_levels").strings()
    let typeFields = try members.required("types").members().all()
    let roleFields = try members.required("roles").members().all()
    let linkFields = try members.optional("links")?.members().all() ?? []
    try readNames(types: typeFields, roles: roleFields, links: linkFields)
    for field in linkFields { links.append(try readLink(field.field)) }
    let roles = try readRoles(roleFields)
    let types = try readTypes(typeFields)
    let rules = try readRules(typeFields, types: types)
    try checkLinkActions(roleFields)
    try checkNamedActions(rules)
    let selfService = try members.optional("self_service").map { field throws(JSONDecodingError) in
      try readSelfService(field, types: types, roles: roles)
    }
    return Policy(
      name: name,
      version: version,
      accessLevels: accessLevels,
      types: types,
      roles: roles,
      actions: actions,
      links: links,
      selfService: selfService,
      stepUps: stepUps,
      features: features,
      reaching: typeNames.indices.map { type in
        var set = RoleSet.none
        for (index, role) in roles.enumerated()
        where role.inheritsTo.contains(EntityTypeID(index: UInt8(type))) {
          set.insert(RoleID(index: UInt8(index)))
        }
        return set
      },
      rules: rules,
      actionIDs: Dictionary(
        uniqueKeysWithValues: actions.enumerated().map { ($1, ActionID(index: UInt16($0))) }
      )
    )
  }

  // MARK: Names

  mutating func readNames(
    types: [PolicyMember],
    roles: [PolicyMember],
    links: [PolicyMember]
  ) throws(JSONDecodingError) {
    for type in types where type.name != "system" { typeNames.append(try type.checkedName()) }
    for role in roles { roleNames.append(try role.checkedName()) }
    for link in links { linkNames.append(try link.checkedName()) }
    if let extra = types.dropFirst(Policy.typeCountMax - 1).first, typeNames.count > 64 {
      throw extra.field.error("a policy can have at most \(Policy.typeCountMax) types")
    }
    if let extra = roles.dropFirst(Policy.roleCountMax).first {
      throw extra.field.error("a policy can have at most \(Policy.roleCountMax) roles")
    }
    if let extra = links.dropFirst(16).first {
      throw extra.field.error("a policy can have at most 16 links")
    }
  }

  static func name(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard PolicyMember.isName(name) else { throw field.error(PolicyMember.nameRule) }
    return name
  }

  func place(
    of field: JSONField,
    in names: [String],
    _ what: String
  ) throws(JSONDecodingError) -> Int {
    let name = try field.string()
    guard let place = names.firstIndex(of: name) else {
      throw field.error("unknown \(what) \"\(name)\"")
    }
    return place
  }

  func type(_ field: JSONField) throws(JSONDecodingError) -> EntityTypeID {
    EntityTypeID(index: UInt8(try place(of: field, in: typeNames, "type")))
  }

  func role(_ field: JSONField) throws(JSONDecodingError) -> RoleID {
    RoleID(index: UInt8(try place(of: field, in: roleNames, "role")))
  }

  func typeSet(_ field: JSONField) throws(JSONDecodingError) -> EntityTypeSet {
    var set = EntityTypeSet()
    for element in try field.elements() {
      if element.value.string == "*" {
        for index in typeNames.indices { set.insert(EntityTypeID(index: UInt8(index))) }
      } else {
        set.insert(try type(element))
      }
    }
    return set
  }

  func accessLevel(_ field: JSONField) throws(JSONDecodingError) -> Int {
    try place(of: field, in: accessLevels, "access level")
  }

  // MARK: The rest

  func checkLinkActions(_ roles: [PolicyMember]) throws(JSONDecodingError) {
    for (link, byRole) in linkActions.enumerated() {
      for (role, names) in byRole.enumerated() {
        guard let unknown = names.sorted().first(where: { !actions.contains($0) }) else { continue }
        throw roles[role].field.error(
          "through.\(linkNames[link]): unknown action \"\(unknown)\""
        )
      }
    }
  }

  func readSelfService(
    _ field: JSONField,
    types: [Policy.EntityType],
    roles: [Policy.Role]
  ) throws(JSONDecodingError) -> Policy.SelfService {
    var members = try field.members()
    let typeField = try members.required("type")
    let service = Policy.SelfService(
      isEnabled: try members.required("enabled").boolean(),
      type: try type(typeField),
      creatorRole: try role(try members.required("creator_role")),
      administratorRole: try role(try members.required("administrator_role"))
    )
    try members.finish()
    guard types[Int(service.type.index)].parents.contains(.system) else {
      throw typeField.error("must be a type that has system as a parent")
    }
    for given in [service.creatorRole, service.administratorRole] {
      guard roles[Int(given.index)].heldOn.contains(service.type) else {
        throw field.error("its roles must be held on that type")
      }
    }
    return service
  }
}
