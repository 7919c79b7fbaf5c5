internal import StrictJSON

/// Actions: who may, under which conditions, and what is denied.
extension PolicyReader {
  mutating func readRules(
    _ fields: [PolicyMember],
    types: [Policy.EntityType]
  ) throws(JSONDecodingError) -> [Policy.ActionRule?] {
    var rules: [(type: Int, action: Int, rule: Policy.ActionRule)] = []
    for field in fields {
      guard let type = typeNames.firstIndex(of: field.name) else { continue }
      var members = try field.field.members()
      for member in try members.optional("actions")?.members().all() ?? [] {
        let rule = try readRule(member, attributes: types[type].attributes)
        try checkFeatures(of: rule, on: type, types, member.field)
        rules.append((type, try actionPlace(member), rule))
      }
    }
    var table = [Policy.ActionRule?](repeating: nil, count: types.count * actions.count)
    for (type, action, rule) in rules { table[type * actions.count + action] = rule }
    return table
  }

  /// A condition on a feature could never hold where nothing above could have one.
  func checkFeatures(
    of rule: Policy.ActionRule,
    on type: Int,
    _ types: [Policy.EntityType],
    _ field: JSONField
  ) throws(JSONDecodingError) {
    let asksForFeature = rule.conditions.contains { $0.reason == .featureNotAvailable }
    guard asksForFeature, !hasHolder(type, types) else { return }
    throw field.error("needs a feature, but neither this type nor one above it holds features")
  }

  private func hasHolder(_ type: Int, _ types: [Policy.EntityType]) -> Bool {
    var seen: Set<Int> = []
    var pending = [type]
    while let current = pending.popLast() {
      guard seen.insert(current).inserted else { continue }
      if types[current].featureHolder != nil { return true }
      pending += types.indices.filter {
        types[current].parents.contains(EntityTypeID(index: UInt8($0)))
      }
    }
    return false
  }

  mutating func actionPlace(_ member: PolicyMember) throws(JSONDecodingError) -> Int {
    let name = try member.checkedName()
    if let place = actions.firstIndex(of: name) { return place }
    guard actions.count < Policy.actionCountMax else {
      throw member.field.error("a policy can have at most \(Policy.actionCountMax) actions")
    }
    actions.append(name)
    return actions.count - 1
  }

  mutating func readRule(
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
      try Self.operation(field, attributes: attributes)
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

  static func operation(
    _ field: JSONField,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> Policy.Operation {
    var members = try field.members()
    let operation = Policy.Operation(
      desiredState: try members.optional("desired_state")?.string(),
      setsAttributes: try members.optional("sets_attributes")?.boolean() ?? false,
      kinds: try members.optional("kinds").map { field throws(JSONDecodingError) in
        try kinds(field, attributes: attributes)
      }
    )
    try members.finish()
    return operation
  }

  /// The kinds that an operation is for: choices of the type's attribute `kind`.
  private static func kinds(
    _ field: JSONField,
    attributes: [Attribute]
  ) throws(JSONDecodingError) -> [String] {
    let name = Policy.Operation.kindAttribute
    guard case .choice(let choices)? = attributes.first(where: { $0.name == name })?.kind else {
      throw field.error("needs an attribute \"\(name)\" with choices in the same type")
    }
    var kinds: [String] = []
    for element in try field.elements() {
      let kind = try element.string()
      guard choices.contains(kind) else {
        throw element.error("must be one of: \(choices.joined(separator: ", "))")
      }
      kinds.append(kind)
    }
    return kinds
  }

  mutating func readCondition(
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

  func readTest(
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

  func readDeny(
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
      throw field.error("must name roles or a condition; nobody could ever perform this action")
    }
    return Policy.Deny(name: name, roles: roles, tests: tests)
  }

  static func bit(
    of name: String,
    in names: inout [String],
    _ field: JSONField
  ) throws(JSONDecodingError) -> UInt64 {
    if let place = names.firstIndex(of: name) { return 1 << UInt64(place) }
    guard names.count < 64 else { throw field.error("a policy can name at most 64 of these") }
    names.append(name)
    return 1 << UInt64(names.count - 1)
  }

  static func timeOfDay(_ field: JSONField) throws(JSONDecodingError) -> Int64 {
    let parts = try field.string().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.first != "+" && $0.first != "-" }),
      let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      (0...23).contains(hours), (0...59).contains(minutes)
    else { throw field.error("must be a time of day in UTC as HH:MM") }
    return (hours * 60 + minutes) * 60_000
  }
}
