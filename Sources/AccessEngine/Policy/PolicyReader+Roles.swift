internal import StrictJSON

/// Links and roles.
extension PolicyReader {
  mutating func readLinks(_ document: Int) {
    for member in documents[document].linkMembers {
      guard let id = documents[document].links[member.name],
        var object = PolicyObject(member.field, problems)
      else { continue }
      let scope = documents[document]
      let from = object.required("from") { field throws(JSONDecodingError) in try scope.type(field)
      }
      let to = object.required("to") { field throws(JSONDecodingError) in try scope.type(field) }
      object.finish()
      guard let from, let to else { continue }
      links[Int(id.index)] = Policy.Link(name: member.name, from: from, to: to)
    }
  }

  mutating func readRoles(_ document: Int) {
    for member in documents[document].roleMembers {
      guard let id = documents[document].roles[member.name],
        let object = PolicyObject(member.field, problems)
      else { continue }
      readRole(object, id, document)
    }
  }

  private mutating func readRole(_ read: PolicyObject, _ id: RoleID, _ document: Int) {
    var object = read
    let scope = documents[document]
    let heldOn = typeSet(object.required("on"), document)
    // Anyone who holds a role on the system and nowhere else operates the whole house.
    let isOperator = heldOn == EntityTypeSet(.system)
    let inheritsTo = typeSet(
      object.optional("inherits_to"),
      document,
      every: isOperator ? EntityTypeSet(count: types.count) : nil
    )
    if object.optional("all_actions", { field throws(JSONDecodingError) in try field.boolean() })
      == true
    {
      for place in documents.indices where isOperator || place == document {
        documents[place].grantingAll.insert(id)
      }
    }
    for element in problems.elements(object.optional("includes")) {
      let role = problems.attempt { () throws(JSONDecodingError) in try scope.role(element) }
      if let role { included[Int(id.index)].insert(role) }
    }
    let throughLinks = readThrough(object.optional("through"), id, scope)
    var role = Policy.Role(name: roles[Int(id.index)].name)
    role.heldOn = heldOn
    role.inheritsTo = inheritsTo
    role.throughLinks = throughLinks
    let windowField = object.optional("window")
    role.isWindowRequired = isRequired(windowField)
    let days = object.optional("window_days_max") { field throws(JSONDecodingError) in
      try field.integer(in: 1...36_600)
    }
    role.windowMax = days.map { $0 * 86_400_000 } ?? .max
    role.isOneKept = flag(&object, "keep_one")
    readRecurring(object.optional("recurring"), of: &role)
    let lentField = object.optional("lent")
    role.isLent = isSet(lentField)
    role.outlivesLender = flag(&object, "outlives_lender")
    requireNoEnd(of: role, window: windowField, lent: lentField)
    let level = object.optional("access_level") { field throws(JSONDecodingError) in
      try scope.accessLevel(field)
    }
    role.accessLevel = level ?? 0
    readAppName(&object, of: role.name, into: \.roles, scope)
    // An operator who sees all there is to see in its own policy does so in the others.
    if isOperator, role.accessLevel == scope.accessLevels.count - 1 { role.accessLevel = levelMax }
    // Which actions they name is known only later; see `readDeclarations`.
    _ = (object.optional("granted_by"), object.optional("removed_by"))
    object.finish()
    roles[Int(id.index)] = role
  }

  var levelMax: Int { max(0, (documents.map(\.accessLevels.count).max() ?? 0) - 1) }

  private func flag(_ object: inout PolicyObject, _ name: String) -> Bool {
    isSet(object.optional(name))
  }

  private func isSet(_ field: JSONField?) -> Bool {
    field.flatMap { field in
      problems.attempt { () throws(JSONDecodingError) in try field.boolean() }
    } ?? false
  }

  private func isRequired(_ field: JSONField?) -> Bool {
    field.flatMap { field in
      problems.attempt { () throws(JSONDecodingError) in try field.choice(of: WindowRule.self) }
    } == .required
  }

  /// A person who must always be able to act cannot have hours.
  private func readRecurring(_ field: JSONField?, of role: inout Policy.Role) {
    role.isRecurringRequired = isRequired(field)
    guard let field, role.isRecurringRequired, role.isOneKept else { return }
    problems.note(field.error("cannot be required of a role with keep_one"))
  }

  /// A person who must always be able to act must be able to have the role for good.
  private func requireNoEnd(of role: Policy.Role, window: JSONField?, lent: JSONField?) {
    guard role.isOneKept else { return }
    if let window, role.isWindowRequired {
      problems.note(window.error("cannot be required of a role with keep_one"))
    }
    if let lent, role.isLent, !role.outlivesLender {
      problems.note(lent.error("a role with keep_one cannot end with the right of its lender"))
    }
  }

  private enum WindowRule: String, CaseIterable {
    case required
    case optional
  }

  private mutating func readThrough(
    _ field: JSONField?,
    _ role: RoleID,
    _ scope: PolicyDocument
  ) -> [Bool] {
    var through = [Bool](repeating: false, count: links.count)
    for member in problems.members(field) {
      guard let link = scope.links[member.name] else {
        problems.note(member.field.path, "unknown link \"\(member.name)\"")
        continue
      }
      through[Int(link.index)] = true
      let names = problems.attempt { () throws(JSONDecodingError) in try member.field.strings() }
      linkActions[Int(link.index)][Int(role.index)] = Set(names ?? [])
    }
    return through
  }

  /// Of each role, the roles from which it is reached by inclusion, itself among them.
  static func closure(of includes: [RoleSet]) -> [RoleSet] {
    var including = includes.indices.map { RoleSet(RoleID(index: UInt8($0))) }
    // As many rounds as there are roles are enough for the longest chain.
    for _ in includes.indices {
      for (outer, inner) in includes.enumerated() {
        for role in inner.roles { including[Int(role.index)].formUnion(including[outer]) }
      }
    }
    return including
  }
}
