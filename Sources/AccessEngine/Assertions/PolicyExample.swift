internal import StrictJSON

/// The entities, links and associations of a policy's assertions, while they are read.
struct PolicyExample {
  private let document: PolicyDocument
  private let policy: Policy
  /// Whether it makes sense to say what types and roles do not allow.
  let areDefinitionsSound: Bool
  /// Types of the entities so far; nil for those that cannot be determined.
  private var types: [String: EntityTypeID?] = [Forest.systemIdentifier: .system]

  init(_ document: PolicyDocument, _ policy: Policy, areDefinitionsSound: Bool) {
    self.document = document
    self.policy = policy
    self.areDefinitionsSound = areDefinitionsSound
  }

  /// Reads an entity; nil for one that a mistake elsewhere leaves without a type.
  mutating func entity(_ field: JSONField) throws(JSONDecodingError) -> EntityRow? {
    var members = try field.members()
    let id = try members.required("id").string()
    guard types.updateValue(nil, forKey: id) == nil else { throw field.error("is given twice") }
    let typeField = try members.required("type")
    guard let type = document.types[try typeField.string()], type != .system else {
      throw typeField.error("is not a type of this policy")
    }
    types[id] = type
    let parent = try members.optional("parent")?.string() ?? Forest.systemIdentifier
    guard let known = types[parent] else {
      throw field.error("unknown parent \"\(parent)\"; list parents before their children")
    }
    let attributeField = members.optional("attributes")
    guard areDefinitionsSound, let parentType = known else {
      try members.finish()
      return nil
    }
    guard policy[type].parents.contains(parentType) else {
      throw field.error("cannot have \(parent) as parent")
    }
    let values = try attributes(attributeField, of: policy[type])
    try members.finish()
    return EntityRow(
      id: id,
      type: type,
      parent: parent,
      name: id,
      codes: policy[type].codes(values)
    )
  }

  private func attributes(
    _ field: JSONField?,
    of type: Policy.EntityType
  ) throws(JSONDecodingError) -> [String: Attribute.Value] {
    var values: [String: Attribute.Value] = [:]
    for member in try field?.members().all() ?? [] {
      guard let attribute = type.attributes.first(where: { $0.name == member.name }) else {
        throw member.field.error("is not an attribute of \(type.name)")
      }
      values[member.name] = try PolicyReader.value(member.field, of: attribute)
    }
    return values
  }

  /// Reads a link; nil for one that a mistake elsewhere leaves unclear.
  func link(_ field: JSONField) throws(JSONDecodingError) -> LinkRow? {
    var members = try field.members()
    let name = try members.required("link")
    guard let link = document.links[try name.string()] else {
      throw name.error("is not a link of this policy")
    }
    let from = try entity(named: try members.required("from"))
    let to = try entity(named: try members.required("to"))
    try members.finish()
    guard areDefinitionsSound, let fromType = from.type, let toType = to.type else { return nil }
    guard fromType == policy[link].from, toType == policy[link].to else {
      throw field.error("does not connect the types that the policy says it connects")
    }
    return LinkRow(link: link, from: from.id, to: to.id)
  }

  /// Reads an association; nil for one that a mistake elsewhere leaves unclear.
  func association(_ field: JSONField, index: Int) throws(JSONDecodingError) -> AssociationRow? {
    var members = try field.members()
    let subject = try members.required("user").string()
    let role = try document.role(try members.required("role"))
    let entity = try entity(named: try members.required("on"))
    let from = try members.optional("from_seconds")?.integer(in: -1_000_000_000...1_000_000_000)
    let until = try members.optional("until_seconds")?.integer(in: -1_000_000_000...1_000_000_000)
    var during: RecurringWindow?
    if let field = members.optional("recurring") { during = try Self.recurring(field) }
    try members.finish()
    guard areDefinitionsSound, let type = entity.type else { return nil }
    guard policy[role].heldOn.contains(type) else {
      throw field.error("is a role that cannot be held on \(entity.id)")
    }
    guard !policy[role].isWindowRequired || (from != nil && until != nil) else {
      throw field.error("is a role that requires from_seconds and until_seconds")
    }
    guard !policy[role].isRecurringRequired || during != nil else {
      throw field.error("is a role that requires recurring")
    }
    let noon = PolicyAssertions.noon
    return AssociationRow(
      id: "asc_\(index)",
      subject: subject,
      role: role,
      entity: entity.id,
      validFrom: from.map { noon + $0 * 1000 } ?? .min,
      validUntil: until.map { noon + $0 * 1000 } ?? .max,
      recurring: during
    )
  }

  /// Reads a recurring window, which in an example is in UTC like everything else.
  private static func recurring(_ field: JSONField) throws(JSONDecodingError) -> RecurringWindow {
    var members = try field.members()
    let from = try PolicyReader.minuteOfDay(try members.required("from"))
    let until = try PolicyReader.minuteOfDay(try members.required("until"))
    var days = RecurringWindow.Weekdays.all
    if let field = members.optional("days") { days = try PolicyReader.weekdays(field) }
    try members.finish()
    guard let window = RecurringWindow(days: days, from: from, until: until, timeZone: "UTC") else {
      throw field.error("needs an until that differs from from, which is never 24:00")
    }
    return window
  }

  /// The context of a subject that has proved and paid for something.
  ///
  /// A word that no condition could ask about would be a slip of the pen that changes nothing.
  func context(
    stepUps: JSONField?,
    features: JSONField?
  ) throws(JSONDecodingError) -> DecisionContext {
    var proofs: [String] = []
    for element in try stepUps?.elements() ?? [] {
      proofs.append(try element.choice(of: PolicyWords.StepUp.self).rawValue)
    }
    var paid: [String] = []
    for element in try features?.elements() ?? [] {
      let name = try element.string()
      guard !areDefinitionsSound || document.features.contains(name) else {
        throw element.error("no condition of this policy names the feature \"\(name)\"")
      }
      paid.append(name)
    }
    return policy.context(stepUps: proofs, features: paid)
  }

  /// The entity that a field names; its type is nil if a mistake elsewhere leaves it without one.
  func entity(
    named field: JSONField
  ) throws(JSONDecodingError) -> (id: String, type: EntityTypeID?) {
    let id = try field.string()
    guard let type = types[id] else { throw field.error("unknown entity \"\(id)\"") }
    return (id, type)
  }
}
