internal import StrictJSON

/// Which actions it takes to create, change and delete entities, and to grant and revoke roles.
extension PolicyReader {
  mutating func readDeclarations(_ document: Int) {
    let scope = documents[document]
    for member in scope.typeMembers {
      guard let id = scope.types[member.name], id != .system else { continue }
      if let lifecycle = member.field.value.object?["lifecycle"] {
        let field = JSONField(lifecycle, path: "\(member.field.path).lifecycle")
        types[Int(id.index)].entityActions = readLifecycle(field, of: id, scope)
      }
      if let counts = member.field.value.object?["counts"] {
        let field = JSONField(counts, path: "\(member.field.path).counts")
        types[Int(id.index)].count = readCount(field, of: id, scope)
      }
      if let members = member.field.value.object?["members"] {
        let field = JSONField(members, path: "\(member.field.path).members")
        types[Int(id.index)].membersLimit = readMembersLimit(field, of: id)
      }
    }
    for member in scope.roleMembers {
      guard let id = scope.roles[member.name], let object = member.field.value.object else {
        continue
      }
      func field(_ name: String) -> JSONField? {
        object[name].map { JSONField($0, path: "\(member.field.path).\(name)") }
      }
      readGrants(field("granted_by"), field("removed_by"), of: id, member.field, scope)
    }
    readSelfService(scope)
  }

  private func readLifecycle(
    _ field: JSONField,
    of type: EntityTypeID,
    _ scope: PolicyDocument
  ) -> Policy.EntityActions {
    var actions = Policy.EntityActions()
    guard var object = PolicyObject(field, problems) else { return actions }
    let places: [(String, WritableKeyPath<Policy.EntityActions, String?>)] = [
      ("view", \.view), ("update", \.update), ("move", \.move), ("delete", \.delete),
      ("list_associations", \.listRoles), ("define_roles", \.defineRoles), ("report", \.report),
      ("manage_webhooks", \.manageWebhooks),
    ]
    for (name, place) in places {
      guard let field = object.optional(name) else { continue }
      actions[keyPath: place] = action(field, on: type)
    }
    if let create = object.optional("create") {
      actions.create = actionsByType(create, types[Int(type.index)].parents, scope)
    }
    actions.reportFeature = object.optional("report_feature") { field throws(JSONDecodingError) in
      guard actions.report != nil else { throw field.error("needs a report beside it") }
      return try words.feature(field)
    }
    object.finish()
    return actions
  }

  private func readCount(
    _ field: JSONField,
    of type: EntityTypeID,
    _ scope: PolicyDocument
  ) -> Policy.Count? {
    guard var object = PolicyObject(field, problems) else { return nil }
    let limit = object.required("limit") { field throws(JSONDecodingError) in
      try words.feature(field)
    }
    let holder = object.required("of") { field throws(JSONDecodingError) in
      let holder = try scope.type(field)
      guard types[Int(holder.index)].featureHolder != nil else {
        throw field.error("must be a type with holds_features_as")
      }
      guard isAbove(holder, type) else {
        throw field.error("must be a type above \(types[Int(type.index)].name)")
      }
      return holder
    }
    object.finish()
    guard let limit, let holder else { return nil }
    return Policy.Count(limit: limit, holder: holder)
  }

  private func readMembersLimit(_ field: JSONField, of type: EntityTypeID) -> String? {
    guard var object = PolicyObject(field, problems) else { return nil }
    let limit = object.required("limit") { field throws(JSONDecodingError) in
      try words.feature(field)
    }
    object.finish()
    guard types[Int(type.index)].featureHolder != nil else {
      problems.note(field.path, "is for types with holds_features_as")
      return nil
    }
    return limit
  }

  /// Whether entities of a type can be above those of another one, at any distance.
  private func isAbove(_ holder: EntityTypeID, _ type: EntityTypeID) -> Bool {
    var (seen, waiting) = (EntityTypeSet(), [type])
    while let next = waiting.popLast() {
      let parents = types[Int(next.index)].parents
      if parents.contains(holder) { return true }
      for index in types.indices {
        let parent = EntityTypeID(index: UInt8(index))
        guard parents.contains(parent), !seen.contains(parent) else { continue }
        seen.insert(parent)
        waiting.append(parent)
      }
    }
    return false
  }

  private mutating func readGrants(
    _ grantedBy: JSONField?,
    _ removedBy: JSONField?,
    of id: RoleID,
    _ field: JSONField,
    _ scope: PolicyDocument
  ) {
    let heldOn = roles[Int(id.index)].heldOn
    let grant = grantedBy.map { actionsByType($0, heldOn, scope) } ?? [:]
    let revoke = removedBy.map { actionsByType($0, heldOn, scope) } ?? grant
    roles[Int(id.index)].roleActions = Policy.RoleActions(grant: grant, revoke: revoke)
    let role = roles[Int(id.index)]
    if role.isLent, grantedBy == nil {
      problems.note("\(field.path).lent", "needs granted_by: what a lender must be allowed to do")
    }
    if role.outlivesLender, !role.isLent {
      problems.note("\(field.path).outlives_lender", "is for roles that are lent: set \"lent\"")
    }
  }

  /// An action for each of some types: one for all, or one by the name of each.
  private func actionsByType(
    _ field: JSONField,
    _ allowed: EntityTypeSet,
    _ scope: PolicyDocument
  ) -> [String: String] {
    var found: [String: String] = [:]
    if field.value.object != nil {
      for member in problems.members(field) {
        guard let type = scope.types[member.name], allowed.contains(type) else {
          problems.note(
            member.field.error("\"\(member.name)\" is not one of the types that this can name")
          )
          continue
        }
        found[member.name] = action(member.field, on: type)
      }
      return found
    }
    for type in types.indices where allowed.contains(EntityTypeID(index: UInt8(type))) {
      found[types[type].name] = action(field, on: EntityTypeID(index: UInt8(type)))
    }
    return found
  }

  /// The name of an action that a type has.
  private func action(_ field: JSONField, on type: EntityTypeID) -> String? {
    problems.attempt { () throws(JSONDecodingError) in
      let name = try field.string()
      guard rules.contains(where: { $0.type == type && actions[Int($0.action.index)] == name })
      else {
        throw field.error("\"\(name)\" is not an action of type \(types[Int(type.index)].name)")
      }
      return name
    }
  }

  // MARK: What users make for themselves

  private mutating func readSelfService(_ scope: PolicyDocument) {
    guard let field = scope.selfService, var object = PolicyObject(field, problems) else { return }
    let isEnabled = object.required("enabled") { field throws(JSONDecodingError) in
      try field.boolean()
    }
    let type = object.required("type") { field throws(JSONDecodingError) in try scope.type(field) }
    let creator = object.required("creator_role") { field throws(JSONDecodingError) in
      try scope.role(field)
    }
    let administrator = object.required("administrator_role") { field throws(JSONDecodingError) in
      try scope.role(field)
    }
    object.finish()
    guard let isEnabled, let type, let creator, let administrator else { return }
    guard types[Int(type.index)].parents.contains(.system) else {
      return problems.note(
        "\(field.path).type",
        "must be a type that has system as a parent"
      )
    }
    for (name, role) in [("creator_role", creator), ("administrator_role", administrator)]
    where !roles[Int(role.index)].heldOn.contains(type) {
      problems.note("\(field.path).\(name)", "must be a role that can be held on that type")
    }
    selfServices.append(
      Policy.SelfService(
        isEnabled: isEnabled,
        type: type,
        creatorRole: creator,
        administratorRole: administrator
      )
    )
  }
}
