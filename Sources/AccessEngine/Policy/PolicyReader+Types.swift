internal import StrictJSON

/// Types and their attributes.
extension PolicyReader {
  mutating func readTypes(_ document: Int) {
    for member in documents[document].typeMembers {
      guard let id = documents[document].types[member.name],
        let object = PolicyObject(member.field, problems)
      else { continue }
      if id == .system { readSystem(object) } else { readType(object, id, document) }
    }
  }

  /// The system's type is there already; a policy adds actions to it.
  private func readSystem(_ read: PolicyObject) {
    var object = read
    _ = object.optional("actions")
    object.finish()
  }

  private mutating func readType(_ read: PolicyObject, _ id: EntityTypeID, _ document: Int) {
    var object = read
    let scope = documents[document]
    var type = Policy.EntityType(name: types[Int(id.index)].name, document: document)
    type.parents = typeSet(object.required("parents"), document)
    var attributes: [Attribute] = []
    for member in problems.members(object.optional("attributes")) {
      if let attribute = readAttribute(member, after: attributes, scope) {
        attributes.append(attribute)
      } else {
        unreadable.insert("\(type.name).\(member.name)")
      }
    }
    type.attributes = attributes
    type.otherAttributesLevel = object.optional("other_attributes") {
      field throws(JSONDecodingError) in
      try scope.accessLevel(field)
    }
    type.featureHolder = object.optional("holds_features_as") { field throws(JSONDecodingError) in
      try words.holder(field)
    }
    type.prefix =
      object.optional("prefix") { field throws(JSONDecodingError) in
        try Self.identifierPrefix(field)
      } ?? Policy.EntityType.standardPrefix
    if let creator = object.optional("creator_role") {
      type.creatorRole = readCreatorRole(creator, of: id, scope)
    }
    readAppName(&object, of: type.name, into: \.types, scope)
    // What these name is known only later; see `readRules` and `readDeclarations`.
    for name in ["actions", "lifecycle", "counts", "members"] { _ = object.optional(name) }
    object.finish()
    types[Int(id.index)] = type
  }

  private func readCreatorRole(
    _ field: JSONField,
    of type: EntityTypeID,
    _ scope: PolicyDocument
  ) -> RoleID? {
    problems.attempt { () throws(JSONDecodingError) in
      let role = try scope.role(field)
      guard roles[Int(role.index)].heldOn.contains(type) else {
        throw field.error("must be a role that can be held on this type")
      }
      guard !roles[Int(role.index)].isWindowRequired else {
        throw field.error("must be a role without an end")
      }
      return role
    }
  }

  private static func identifierPrefix(_ field: JSONField) throws(JSONDecodingError) -> String {
    let prefix = try field.string()
    guard (2...8).contains(prefix.utf8.count),
      prefix.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
    else { throw field.error("must be 2 to 8 of a-z") }
    return prefix
  }

  private func readAttribute(
    _ member: PolicyMember,
    after others: [Attribute],
    _ scope: PolicyDocument
  ) -> Attribute? {
    let name = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
    guard var object = PolicyObject(member.field, problems) else { return nil }
    let kind = readKind(&object)
    let unit = readUnit(&object, of: kind)
    let isSetting = object.optional("setting") { field throws(JSONDecodingError) in
      try field.boolean()
    }
    let isReported = object.optional("reported") { field throws(JSONDecodingError) in
      let isReported = try field.boolean()
      guard !isReported || isSetting != true else {
        throw field.error("must be absent for a setting, which people set")
      }
      return isReported
    }
    let level = object.required("access") { field throws(JSONDecodingError) in
      try scope.accessLevel(field)
    }
    let standard = object.optional("default")
    object.finish()
    guard let name, let kind, let level else { return nil }
    var attribute = Attribute(
      name: name,
      kind: kind,
      accessLevel: level,
      defaultValue: nil,
      slot: nil
    )
    attribute.unit = unit
    attribute.isSetting = isSetting ?? false
    attribute.isReported = isReported ?? false
    if let standard {
      let value = problems.attempt { () throws(JSONDecodingError) in
        try Self.value(standard, of: kind, unit: unit)
      }
      guard let value else { return nil }
      attribute.defaultValue = value
    }
    if attribute.isCoded { attribute.slot = others.count(where: \.isCoded) }
    return attribute
  }

  /// A value of an attribute.
  static func value(
    _ field: JSONField,
    of attribute: Attribute
  ) throws(JSONDecodingError) -> Attribute.Value {
    try value(field, of: attribute.kind, unit: attribute.unit)
  }
}
