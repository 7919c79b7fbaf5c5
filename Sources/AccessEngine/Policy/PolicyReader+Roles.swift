internal import StrictJSON

/// Links and roles.
extension PolicyReader {
  func readLink(_ field: JSONField) throws(JSONDecodingError) -> Policy.Link {
    var members = try field.members()
    let link = Policy.Link(
      name: "",
      from: try type(try members.required("from")),
      to: try type(try members.required("to"))
    )
    try members.finish()
    return Policy.Link(name: linkNames[links.count], from: link.from, to: link.to)
  }

  mutating func readRoles(
    _ fields: [PolicyMember]
  ) throws(JSONDecodingError)
    -> [Policy.Role]
  {
    linkActions = linkNames.map { _ in [Set<String>](repeating: [], count: fields.count) }
    var includes: [RoleSet] = []
    var roles: [Policy.Role] = []
    for (index, field) in fields.enumerated() {
      var members = try field.field.members()
      let heldOn = try typeSet(try members.required("on"))
      let inheritsTo = try members.optional("inherits_to").map { list throws(JSONDecodingError) in
        try typeSet(list)
      }
      if try members.optional("all_actions")?.boolean() == true {
        almighty.insert(RoleID(index: UInt8(index)))
      }
      var included = RoleSet.none
      for element in try members.optional("includes")?.elements() ?? [] {
        included.insert(try role(element))
      }
      includes.append(included)
      let throughLinks = try readThrough(members.optional("through"), role: index)
      let isWindowRequired = try members.optional("window")?.choice(of: WindowRule.self)
      let windowDays = try members.optional("window_days_max")?.integer(in: 1...36_600)
      let isOneKept = try members.optional("keep_one")?.boolean()
      let level = try members.optional("access_level").map { level throws(JSONDecodingError) in
        try accessLevel(level)
      }
      let actions = try readRoleActions(&members, heldOn: heldOn)
      let isLent = try members.optional("lent")?.boolean() ?? false
      let outlivesLender = try members.optional("outlives_lender")?.boolean() ?? false
      try members.finish()
      roles.append(
        Policy.Role(
          name: roleNames[index],
          heldOn: heldOn,
          inheritsTo: inheritsTo ?? EntityTypeSet(),
          isWindowRequired: isWindowRequired == .required,
          accessLevel: level ?? 0,
          windowMax: windowDays.map { $0 * 86_400_000 } ?? .max,
          isOneKept: isOneKept ?? false,
          throughLinks: throughLinks,
          roleActions: actions,
          isLent: isLent,
          outlivesLender: outlivesLender
        )
      )
    }
    including = Self.closure(of: includes)
    return roles
  }

  private enum WindowRule: String, CaseIterable {
    case required
    case optional
  }

  mutating func readThrough(
    _ field: JSONField?,
    role: Int
  ) throws(JSONDecodingError) -> [Bool] {
    var through = [Bool](repeating: false, count: linkNames.count)
    var members = try field?.members()
    for (name, actions) in members?.rest() ?? [] {
      guard let link = linkNames.firstIndex(of: name) else {
        throw actions.error("unknown link \"\(name)\"")
      }
      through[link] = true
      linkActions[link][role] = Set(try actions.strings())
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
