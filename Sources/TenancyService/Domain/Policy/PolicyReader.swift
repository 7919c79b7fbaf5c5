internal import ServiceKit

/// Compiles the JSON of a policy, first names, then what refers to them.
struct PolicyReader {
  private var accessLevels: [String] = []
  private var typeNames: [String] = ["system"]
  private var roleNames: [String] = []
  private var linkNames: [String] = []
  private var links: [Policy.Link] = []
  private var actions: [String] = []
  private var stepUps: [String] = []
  private var features: [String] = []
  /// Of each role, itself and every role that grants all that it grants.
  private var including: [RoleSet] = []
  /// Roles that grant every action.
  private var almighty = RoleSet.none
  /// Actions that each role has through each link: `[link][role]`, names until all are known.
  private var linkActions: [[Set<String>]] = []

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

  private mutating func readNames(
    types: [PolicyMember],
    roles: [PolicyMember],
    links: [PolicyMember]
  ) throws(JSONDecodingError) {
    for type in types where type.name != "system" { typeNames.append(try type.checkedName()) }
    for role in roles { roleNames.append(try role.checkedName()) }
    for link in links { linkNames.append(try link.checkedName()) }
    if let extra = types.dropFirst(Policy.typeCountMax - 1).first, typeNames.count > 64 {
      throw extra.field.error("a policy has at most \(Policy.typeCountMax) types")
    }
    if let extra = roles.dropFirst(Policy.roleCountMax).first {
      throw extra.field.error("a policy has at most \(Policy.roleCountMax) roles")
    }
    if let extra = links.dropFirst(16).first {
      throw extra.field.error("a policy has at most 16 links")
    }
  }

  static func name(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard PolicyMember.isName(name) else { throw field.error(PolicyMember.nameRule) }
    return name
  }

  private func place(
    of field: JSONField,
    in names: [String],
    _ what: String
  ) throws(JSONDecodingError) -> Int {
    let name = try field.string()
    guard let place = names.firstIndex(of: name) else {
      throw field.error("\"\(name)\" is no \(what) of this policy")
    }
    return place
  }

  private func type(_ field: JSONField) throws(JSONDecodingError) -> EntityTypeID {
    EntityTypeID(index: UInt8(try place(of: field, in: typeNames, "type")))
  }

  private func role(_ field: JSONField) throws(JSONDecodingError) -> RoleID {
    RoleID(index: UInt8(try place(of: field, in: roleNames, "role")))
  }

  private func typeSet(_ field: JSONField) throws(JSONDecodingError) -> EntityTypeSet {
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

  private func accessLevel(_ field: JSONField) throws(JSONDecodingError) -> Int {
    try place(of: field, in: accessLevels, "access level")
  }

  // MARK: Links and roles

  private func readLink(_ field: JSONField) throws(JSONDecodingError) -> Policy.Link {
    var members = try field.members()
    let link = Policy.Link(
      name: "",
      from: try type(try members.required("from")),
      to: try type(try members.required("to"))
    )
    try members.finish()
    return Policy.Link(name: linkNames[links.count], from: link.from, to: link.to)
  }

  private mutating func readRoles(
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
          throughLinks: throughLinks
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

  private mutating func readThrough(
    _ field: JSONField?,
    role: Int
  ) throws(JSONDecodingError) -> [Bool] {
    var through = [Bool](repeating: false, count: linkNames.count)
    var members = try field?.members()
    for (name, actions) in members?.rest() ?? [] {
      guard let link = linkNames.firstIndex(of: name) else {
        throw actions.error("\"\(name)\" is no link of this policy")
      }
      through[link] = true
      linkActions[link][role] = Set(try actions.strings())
    }
    return through
  }

  /// Of each role, the roles from which it is reached by inclusion, itself among them.
  private static func closure(of includes: [RoleSet]) -> [RoleSet] {
    var including = includes.indices.map { RoleSet(RoleID(index: UInt8($0))) }
    // As many rounds as there are roles are enough for the longest chain.
    for _ in includes.indices {
      for (outer, inner) in includes.enumerated() {
        for role in inner.roles { including[Int(role.index)].formUnion(including[outer]) }
      }
    }
    return including
  }

  // MARK: Types

  private func readTypes(
    _ fields: [PolicyMember]
  ) throws(JSONDecodingError)
    -> [Policy.EntityType]
  {
    var types = [
      Policy.EntityType(
        name: "system",
        parents: EntityTypeSet(),
        attributes: [],
        otherAttributesLevel: nil
      )
    ]
    for field in fields {
      var members = try field.field.members()
      if field.name == "system" {
        _ = members.optional("actions")
        try members.finish()
        continue
      }
      let parents = try typeSet(try members.required("parents"))
      var attributes: [Attribute] = []
      for attribute in try members.optional("attributes")?.members().all() ?? [] {
        attributes.append(try readAttribute(attribute, after: attributes))
      }
      let others = try members.optional("other_attributes").map { level throws(JSONDecodingError) in
        try accessLevel(level)
      }
      _ = members.optional("actions")
      try members.finish()
      types.append(
        Policy.EntityType(
          name: field.name,
          parents: parents,
          attributes: attributes,
          otherAttributesLevel: others
        )
      )
    }
    return types
  }

  private func readAttribute(
    _ member: PolicyMember,
    after others: [Attribute]
  ) throws(JSONDecodingError) -> Attribute {
    let name = try member.checkedName()
    var members = try member.field.members()
    let kind = try readKind(&members)
    let level = try accessLevel(try members.required("access"))
    let standard = members.optional("default")
    try members.finish()
    let slots = others.count(where: \.isCoded)
    var attribute = Attribute(
      name: name,
      kind: kind,
      accessLevel: level,
      defaultValue: nil,
      slot: nil
    )
    if let standard {
      let value = try Self.value(standard)
      do { try attribute.check(value) } catch { throw standard.error(error.problem) }
      attribute = Attribute(
        name: name,
        kind: kind,
        accessLevel: level,
        defaultValue: value,
        slot: nil
      )
    }
    guard attribute.isCoded else { return attribute }
    return Attribute(
      name: name,
      kind: kind,
      accessLevel: level,
      defaultValue: attribute.defaultValue,
      slot: slots
    )
  }

  private enum KindName: String, CaseIterable {
    case text
    case integer
    case boolean
    case choice
  }

  private func readKind(_ members: inout JSONMembers) throws(JSONDecodingError) -> Attribute.Kind {
    switch try members.required("kind").choice(of: KindName.self) {
    case .text:
      let limit = try members.optional("max_bytes")?.integer(in: 1...65_536)
      return .text(byteCountMax: Int(limit ?? 1024))
    case .integer:
      let field = members.optional("min")
      let lower = try field?.integer(in: .min ... .max) ?? .min
      let upper = try members.optional("max")?.integer(in: .min ... .max) ?? .max
      guard lower <= upper else { throw field?.error("is above max") ?? JSONField(.null).error("") }
      return .integer(lower...upper)
    case .boolean: return .boolean
    case .choice:
      let field = try members.required("choices")
      let choices = try field.strings()
      guard !choices.isEmpty, choices.count <= Attribute.choiceCountMax,
        Set(choices).count == choices.count
      else { throw field.error("1 to \(Attribute.choiceCountMax) different choices are needed") }
      return .choice(choices)
    }
  }

  static func value(_ field: JSONField) throws(JSONDecodingError) -> Attribute.Value {
    switch field.value {
    case .string(let text): return .text(text)
    case .boolean(let flag): return .boolean(flag)
    case .number: return .integer(try field.integer(in: .min ... .max))
    case .null, .array, .object:
      throw field.error("a text, a whole number, true or false is needed")
    }
  }

  // MARK: Actions

  private mutating func readRules(
    _ fields: [PolicyMember],
    types: [Policy.EntityType]
  ) throws(JSONDecodingError) -> [Policy.ActionRule?] {
    var rules: [(type: Int, action: Int, rule: Policy.ActionRule)] = []
    for field in fields {
      guard let type = typeNames.firstIndex(of: field.name) else { continue }
      var members = try field.field.members()
      for member in try members.optional("actions")?.members().all() ?? [] {
        let rule = try readRule(member, attributes: types[type].attributes)
        rules.append((type, try actionPlace(member), rule))
      }
    }
    var table = [Policy.ActionRule?](repeating: nil, count: types.count * actions.count)
    for (type, action, rule) in rules { table[type * actions.count + action] = rule }
    return table
  }

  private mutating func actionPlace(_ member: PolicyMember) throws(JSONDecodingError) -> Int {
    let name = try member.checkedName()
    if let place = actions.firstIndex(of: name) { return place }
    guard actions.count < Policy.actionCountMax else {
      throw member.field.error("a policy has at most \(Policy.actionCountMax) actions")
    }
    actions.append(name)
    return actions.count - 1
  }

  private mutating func readRule(
    _ member: PolicyMember,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> Policy.ActionRule {
    var members = try member.field.members()
    var grants = almighty
    for element in try members.required("roles").elements() {
      grants.formUnion(including[Int(try role(element).index)])
    }
    var conditions: [Policy.Condition] = []
    for element in try members.optional("conditions")?.elements() ?? [] {
      conditions.append(try readCondition(element, attributes: attributes))
    }
    var denies: [Policy.Deny] = []
    for element in try members.optional("denies")?.elements() ?? [] {
      denies.append(try readDeny(element, attributes: attributes))
    }
    let operation = try members.optional("operation").map { field throws(JSONDecodingError) in
      try Self.operation(field)
    }
    try members.finish()
    return Policy.ActionRule(
      grants: grants,
      linkGrants: linkActions.map { roles in
        var set = RoleSet.none
        for (index, actions) in roles.enumerated() where actions.contains(member.name) {
          set.insert(RoleID(index: UInt8(index)))
        }
        return set
      },
      conditions: conditions.sorted { $0.reason.precedence < $1.reason.precedence },
      denies: denies,
      operation: operation
    )
  }

  private static func operation(_ field: JSONField) throws(JSONDecodingError) -> Policy.Operation {
    var members = try field.members()
    let operation = Policy.Operation(
      desiredState: try members.optional("desired_state")?.string(),
      setsAttributes: try members.optional("sets_attributes")?.boolean() ?? false
    )
    try members.finish()
    return operation
  }

  private mutating func readCondition(
    _ field: JSONField,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> Policy.Condition {
    var members = try field.members()
    let condition: Policy.Condition
    if let stepUp = members.optional("step_up") {
      condition = .stepUp(try Self.bit(of: try stepUp.string(), in: &stepUps, stepUp))
    } else if let feature = members.optional("feature") {
      condition = .feature(try Self.bit(of: try feature.string(), in: &features, feature))
    } else if let daily = members.optional("daily") {
      var range = try daily.members()
      let from = try Self.timeOfDay(try range.required("from"))
      condition = .daily(from: from, until: try Self.timeOfDay(try range.required("until")))
      try range.finish()
    } else {
      let test = try readTest(&members, attributes: attributes)
      let otherwise = try members.required("otherwise")
      guard let reason = ReasonCode(rawValue: try otherwise.string()),
        ReasonCode.ofAttributes.contains(reason)
      else {
        let known = ReasonCode.ofAttributes.map(\.rawValue).joined(separator: ", ")
        throw otherwise.error("must be one of: \(known)")
      }
      condition = .attribute(test, otherwise: reason)
    }
    try members.finish()
    return condition
  }

  private func readTest(
    _ members: inout JSONMembers,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> Policy.AttributeTest {
    let name = try members.required("attribute")
    let text = try name.string()
    guard let attribute = attributes.first(where: { $0.name == text }), let slot = attribute.slot
    else { throw name.error("must be an attribute of this type that is a boolean or a choice") }
    let field = try members.required("equals")
    let values = field.value.array == nil ? [field] : try field.elements()
    var codes: UInt64 = 0
    for value in values {
      let read = try Self.value(value)
      do { try attribute.check(read) } catch { throw value.error(error.problem) }
      codes |= 1 << UInt64(attribute.code(read))
    }
    return Policy.AttributeTest(slot: slot, codes: codes)
  }

  private func readDeny(
    _ field: JSONField,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> Policy.Deny {
    var members = try field.members()
    let name = try Self.name(try members.required("name"))
    var roles: RoleSet?
    for element in try members.optional("roles")?.elements() ?? [] {
      var set = roles ?? .none
      set.insert(try role(element))
      roles = set
    }
    var tests: [Policy.AttributeTest] = []
    for element in try members.optional("when")?.elements() ?? [] {
      var test = try element.members()
      tests.append(try readTest(&test, attributes: attributes))
      try test.finish()
    }
    try members.finish()
    guard roles != nil || !tests.isEmpty else {
      throw field.error("must name roles or a condition; as it is the action can never be done")
    }
    return Policy.Deny(name: name, roles: roles, tests: tests)
  }

  private static func bit(
    of name: String,
    in names: inout [String],
    _ field: JSONField
  ) throws(JSONDecodingError) -> UInt64 {
    if let place = names.firstIndex(of: name) { return 1 << UInt64(place) }
    guard names.count < 64 else { throw field.error("a policy names at most 64 of these") }
    names.append(name)
    return 1 << UInt64(names.count - 1)
  }

  private static func timeOfDay(_ field: JSONField) throws(JSONDecodingError) -> Int64 {
    let parts = try field.string().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.first != "+" && $0.first != "-" }),
      let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      (0...23).contains(hours), (0...59).contains(minutes)
    else { throw field.error("must be a time of day in UTC as HH:MM") }
    return (hours * 60 + minutes) * 60_000
  }

  // MARK: The rest

  private func checkLinkActions(_ roles: [PolicyMember]) throws(JSONDecodingError) {
    for (link, byRole) in linkActions.enumerated() {
      for (role, names) in byRole.enumerated() {
        guard let unknown = names.sorted().first(where: { !actions.contains($0) }) else { continue }
        throw roles[role].field.error(
          "through.\(linkNames[link]): \"\(unknown)\" is no action of this policy"
        )
      }
    }
  }

  private func readSelfService(
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
      throw typeField.error("must be a type that may hang under the system")
    }
    for given in [service.creatorRole, service.administratorRole] {
      guard roles[Int(given.index)].heldOn.contains(service.type) else {
        throw field.error("its roles must be held on that type")
      }
    }
    return service
  }
}
