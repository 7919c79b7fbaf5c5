internal import StrictJSON

/// What a policy file says about itself: a small example and what must come out of it.
struct PolicyAssertions {
  /// The example is at this instant, 2026-01-05T12:00:00Z, unless an expectation says otherwise.
  static let noon: Int64 = 1_767_614_400_000

  private var changes: [ForestChange] = []
  private var expectations: [Expectation] = []

  private struct Expectation {
    let path: String
    let who: String
    let action: ActionID
    let on: String
    let isAllowed: Bool
    let reason: ReasonCode?
    let context: DecisionContext
    let now: Int64
  }

  /// Reads the assertions, checking every name against the policy.
  init(_ field: JSONField, policy: Policy) throws(JSONDecodingError) {
    var members = try field.members()
    var types = [Forest.systemIdentifier: EntityTypeID.system]
    for entity in try members.required("entities").elements() {
      changes.append(.putEntity(try Self.entity(entity, policy: policy, types: &types)))
    }
    for link in try members.optional("links")?.elements() ?? [] {
      changes.append(.putLink(try Self.link(link, policy: policy, types: types)))
    }
    for (index, element) in (try members.required("associations").elements()).enumerated() {
      let row = try Self.association(element, index: index, policy: policy, types: types)
      changes.append(.putAssociation(row))
    }
    for subject in try members.optional("suspended")?.strings() ?? [] {
      changes.append(.setSuspended(subject, true))
    }
    let expected = try members.required("expect")
    for element in try expected.elements() {
      expectations.append(try Self.expectation(element, policy: policy))
    }
    guard !expectations.isEmpty else { throw expected.error("a policy must assert something") }
    try members.finish()
  }

  /// Everything that does not come out as it must.
  func failures(of policy: Policy) -> [PolicyError.Problem] {
    var forest = Forest(policy: policy)
    for change in changes { forest.apply(change) }
    return expectations.compactMap { expectation in
      let decision = forest.decide(
        subject: expectation.who,
        action: expectation.action,
        entity: expectation.on,
        context: expectation.context,
        now: expectation.now
      )
      let isAsExpected =
        decision.isAllowed == expectation.isAllowed
        && (expectation.reason.map { $0 == decision.reason } ?? true)
      guard !isAsExpected else { return nil }
      let wanted = expectation.reason?.rawValue ?? (expectation.isAllowed ? "allow" : "deny")
      return PolicyError.Problem(
        path: expectation.path,
        problem: "expected \(wanted), but the decision is \(decision.reason.rawValue)"
      )
    }
  }

  private static func entity(
    _ field: JSONField,
    policy: Policy,
    types: inout [String: EntityTypeID]
  ) throws(JSONDecodingError) -> EntityRow {
    var members = try field.members()
    let id = try members.required("id").string()
    let typeField = try members.required("type")
    guard let type = policy.type(named: try typeField.string()), type != .system else {
      throw typeField.error("is not a type of this policy")
    }
    let parent = try members.optional("parent")?.string() ?? Forest.systemIdentifier
    guard let parentType = types[parent], policy[type].parents.contains(parentType) else {
      throw field.error("cannot have \(parent) as parent")
    }
    guard types.updateValue(type, forKey: id) == nil else { throw field.error("is given twice") }
    let values = try attributes(members.optional("attributes"), of: policy[type])
    try members.finish()
    return EntityRow(
      id: id,
      type: type,
      parent: parent,
      name: id,
      codes: policy[type].codes(values)
    )
  }

  private static func attributes(
    _ field: JSONField?,
    of type: Policy.EntityType
  ) throws(JSONDecodingError) -> [String: Attribute.Value] {
    var values: [String: Attribute.Value] = [:]
    for member in try field?.members().all() ?? [] {
      guard let attribute = type.attributes.first(where: { $0.name == member.name }) else {
        throw member.field.error("is not an attribute of \(type.name)")
      }
      let value = try PolicyReader.value(member.field)
      do { try attribute.check(value) } catch { throw member.field.error(error.problem) }
      values[member.name] = value
    }
    return values
  }

  private static func link(
    _ field: JSONField,
    policy: Policy,
    types: [String: EntityTypeID]
  ) throws(JSONDecodingError) -> LinkRow {
    var members = try field.members()
    let name = try members.required("link")
    guard let link = policy.link(named: try name.string()) else {
      throw name.error("is not a link of this policy")
    }
    let from = try members.required("from").string()
    let to = try members.required("to").string()
    try members.finish()
    guard types[from] == policy[link].from, types[to] == policy[link].to else {
      throw field.error("does not connect the types that the policy says it connects")
    }
    return LinkRow(link: link, from: from, to: to)
  }

  private static func association(
    _ field: JSONField,
    index: Int,
    policy: Policy,
    types: [String: EntityTypeID]
  ) throws(JSONDecodingError) -> AssociationRow {
    var members = try field.members()
    let subject = try members.required("user").string()
    let roleField = try members.required("role")
    guard let role = policy.role(named: try roleField.string()) else {
      throw roleField.error("is not a role of this policy")
    }
    let entity = try members.required("on").string()
    guard let type = types[entity], policy[role].heldOn.contains(type) else {
      throw field.error("is a role that cannot be held on \(entity)")
    }
    let from = try members.optional("from_seconds")?.integer(in: -1_000_000_000...1_000_000_000)
    let until = try members.optional("until_seconds")?.integer(in: -1_000_000_000...1_000_000_000)
    try members.finish()
    guard !policy[role].isWindowRequired || (from != nil && until != nil) else {
      throw field.error("is a role that requires from_seconds and until_seconds")
    }
    return AssociationRow(
      id: "asc_\(index)",
      subject: subject,
      role: role,
      entity: entity,
      validFrom: from.map { noon + $0 * 1000 } ?? .min,
      validUntil: until.map { noon + $0 * 1000 } ?? .max
    )
  }

  private enum Outcome: String, CaseIterable {
    case allow
    case deny
  }

  private static func expectation(
    _ field: JSONField,
    policy: Policy
  ) throws(JSONDecodingError) -> Expectation {
    var members = try field.members()
    let who = try members.required("who").string()
    let actionField = try members.required("action")
    guard let action = policy.action(named: try actionField.string()) else {
      throw actionField.error("is not an action of this policy")
    }
    let on = try members.required("on").string()
    let outcome = try members.required("expect").choice(of: Outcome.self)
    var reason: ReasonCode?
    if let text = members.optional("reason") {
      reason = ReasonCode(rawValue: try text.string())
      guard let reason, (reason == .allowed) == (outcome == .allow) else {
        throw text.error("is not a reason for this decision")
      }
    }
    let at = try members.optional("at_seconds")?.integer(in: -1_000_000_000...1_000_000_000) ?? 0
    let context = policy.context(
      stepUps: try members.optional("step_ups")?.strings() ?? [],
      features: try members.optional("features")?.strings() ?? []
    )
    try members.finish()
    return Expectation(
      path: field.path,
      who: who,
      action: action,
      on: on,
      isAllowed: outcome == .allow,
      reason: reason,
      context: context,
      now: noon + at * 1000
    )
  }
}

extension Policy.EntityType {
  /// Attributes as the engine keeps them: one byte for each boolean and choice.
  package func codes(_ values: [String: Attribute.Value]) -> [UInt8] {
    attributes.filter(\.isCoded).map { $0.code(values[$0.name]) }
  }
}
