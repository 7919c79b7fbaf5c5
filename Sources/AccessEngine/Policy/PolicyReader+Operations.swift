internal import StrictJSON

/// Operations: actions that a device carries out, and the parameters they take.
extension PolicyReader {
  /// Reads what carrying out an action does, and for which kinds of devices: that is a condition like
  /// the others, so that checks and lists answer as the operation does.
  func readOperation(
    _ field: JSONField,
    _ type: EntityTypeID,
    _ rule: inout Policy.ActionRule
  ) {
    guard var object = PolicyObject(field, problems) else { return }
    let state = object.optional("desired_state") { field throws(JSONDecodingError) in
      try field.string()
    }
    let setsAttributes =
      object.optional("sets_attributes") { field throws(JSONDecodingError) in
        try field.boolean()
      } ?? false
    let given = object.optional("parameters")
    let parameters = setsAttributes ? readSettings(field, given, type) : readParameters(given)
    if let given { checkNames(ofSet: parameters, given) }
    let kinds = object.optional("kinds").flatMap { readKinds($0, type) }
    if let kinds {
      rule.conditions.append(.attribute(kinds.test, otherwise: .operationNotSupported))
    }
    object.finish()
    rule.operation = Policy.Operation(
      desiredState: state,
      setsAttributes: setsAttributes,
      parameters: parameters,
      kinds: kinds?.names ?? []
    )
  }

  /// The settings of a type, as parameters that may all be left out.
  private func readSettings(
    _ operation: JSONField,
    _ given: JSONField?,
    _ type: EntityTypeID
  ) -> [Policy.Parameter] {
    if let given {
      problems.note(given.error("must be absent with sets_attributes, which sets the settings"))
    }
    let settings = types[Int(type.index)].attributes.filter(\.isSetting)
    let prefix = "\(types[Int(type.index)].name)."
    // A policy that was in force once set all attributes.
    if settings.isEmpty, words.areClosed, !unreadable.contains(where: { $0.hasPrefix(prefix) }) {
      problems.note(
        operation.error("sets attributes, but no attribute of the type has \"setting\": true")
      )
    }
    return settings.map {
      Policy.Parameter(
        name: $0.name,
        kind: $0.kind,
        unit: $0.unit,
        isRequired: false,
        defaultValue: nil,
        sets: $0.name
      )
    }
  }

  private func readParameters(_ field: JSONField?) -> [Policy.Parameter] {
    let members = problems.members(field)
    if let field, members.count > Policy.parameterCountMax {
      problems.note(
        field.error("an operation can have at most \(Policy.parameterCountMax) parameters")
      )
    }
    return members.prefix(Policy.parameterCountMax).compactMap { readParameter($0) }
  }

  /// Each desired value has one parameter; the state has the member `desired_state`.
  private func checkNames(ofSet parameters: [Policy.Parameter], _ field: JSONField) {
    var names: Set<String> = [Self.stateName]
    for parameter in parameters where !names.insert(parameter.sets).inserted {
      let problem =
        parameter.sets == Self.stateName
        ? "sets \"state\", which desired_state sets"
        : "sets \"\(parameter.sets)\", as another parameter does"
      problems.note("\(field.path).\(parameter.name)", problem)
    }
  }

  /// The desired value that `desired_state` sets.
  private static let stateName = "state"

  private func readParameter(_ member: PolicyMember) -> Policy.Parameter? {
    let name = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
    guard var object = PolicyObject(member.field, problems) else { return nil }
    let kind = readKind(&object, integers: Self.exactIntegers)
    let unit = readUnit(&object, of: kind)
    let isRequired = object.optional("required") { field throws(JSONDecodingError) in
      try field.boolean()
    }
    let standard = object.optional("default")
    let sets = object.optional("sets") { field throws(JSONDecodingError) in
      try Self.name(field)
    }
    object.finish()
    guard let name, let kind else { return nil }
    if isRequired == true, let standard {
      problems.note(standard.error("must be absent for a required parameter"))
    }
    let value = standard.flatMap { field in
      problems.attempt { () throws(JSONDecodingError) in
        try Self.value(field, of: kind, unit: unit)
      }
    }
    return Policy.Parameter(
      name: name,
      kind: kind,
      unit: unit,
      isRequired: isRequired ?? false,
      defaultValue: value,
      sets: sets ?? name
    )
  }

  /// Integers that a double can be: all numbers of a request are doubles.
  private static let exactIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  /// Choices of the attribute `kind` of a type.
  private func readKinds(
    _ field: JSONField,
    _ type: EntityTypeID
  ) -> (names: [String], test: Policy.AttributeTest)? {
    guard !isUnreadable(Self.kindAttribute, of: type) else { return nil }
    let attribute = types[Int(type.index)].attributes.first { $0.name == Self.kindAttribute }
    guard let attribute, let slot = attribute.slot, case .choice(let choices) = attribute.kind
    else {
      problems.note(field.error("the type needs an attribute \"kind\" that is a choice"))
      return nil
    }
    var codes: UInt64 = 0
    for element in problems.elements(field) {
      let code = problems.attempt { () throws(JSONDecodingError) in
        let kind = try element.string()
        guard choices.contains(kind) else {
          throw element.error("must be one of: \(choices.joined(separator: ", "))")
        }
        return attribute.code(.text(kind))
      }
      if let code { codes |= 1 << UInt64(code) }
    }
    return (attribute.texts(ofCodes: codes), Policy.AttributeTest(slot: slot, codes: codes))
  }

  /// The attribute that says of what kind a device is.
  private static let kindAttribute = "kind"
}
