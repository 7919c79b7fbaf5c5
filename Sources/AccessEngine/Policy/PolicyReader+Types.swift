internal import StrictJSON

/// Types and their attributes.
extension PolicyReader {
  mutating func readTypes(
    _ fields: [PolicyMember]
  ) throws(JSONDecodingError)
    -> [Policy.EntityType]
  {
    var types = [
      Policy.EntityType(
        name: "system",
        parents: EntityTypeSet(),
        attributes: [],
        otherAttributesLevel: nil,
        featureHolder: nil
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
      let holder = try members.optional("holds_features_as").map { kind throws(JSONDecodingError) in
        try kind.choice(of: FeatureHolder.Kind.self)
      }
      _ = members.optional("actions")
      let prefix = try Self.readPrefix(members.optional("prefix"))
      let lifecycle = try readEntityActions(
        members.optional("lifecycle"),
        type: field.name,
        parents: parents
      )
      try members.finish()
      types.append(
        Policy.EntityType(
          name: field.name,
          parents: parents,
          attributes: attributes,
          otherAttributesLevel: others,
          featureHolder: holder,
          prefix: prefix,
          entityActions: lifecycle
        )
      )
    }
    return types
  }

  func readAttribute(
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

  func readKind(_ members: inout JSONMembers) throws(JSONDecodingError) -> Attribute.Kind {
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
      else { throw field.error("must have 1 to \(Attribute.choiceCountMax) different choices") }
      return .choice(choices)
    }
  }

  static func value(_ field: JSONField) throws(JSONDecodingError) -> Attribute.Value {
    switch field.value {
    case .string(let text): return .text(text)
    case .boolean(let flag): return .boolean(flag)
    case .number: return .integer(try field.integer(in: .min ... .max))
    case .null, .array, .object:
      throw field.error("must be text, an integer, true or false")
    }
  }
}
