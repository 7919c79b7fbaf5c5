internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Attributes between the wire, the store and the policy.
enum AttributeMapping {
  /// The attributes of a request as JSON, checked against the policy; a null removes one.
  ///
  /// INVALID_ARGUMENT for names and values that the policy does not allow, and for `reserved`, an
  /// attribute that a product keeps to itself.
  static func changes(
    _ fields: Google_Protobuf.Struct?,
    type: Policy.EntityType,
    field: String = "attributes",
    reserved: String? = nil
  ) throws(RPCError) -> [String: JSONValue] {
    var changes: [String: JSONValue] = [:]
    for (name, value) in fields?.fields ?? [:] {
      let path = "\(field).\(name)"
      guard let json = json(value) else {
        throw ErrorCatalog.tenancy.invalid(path, "ATTRIBUTE_INVALID", "must be a JSON value")
      }
      guard name != reserved else { throw nameInvalid(path) }
      try check(name, json, type, path: path)
      changes[name] = json
    }
    return changes
  }

  /// The changes that people may make: all but those of what a device reports, which may be given as they are.
  ///
  /// ATTRIBUTE_REPORTED for one of those that would be another.
  static func written(
    _ changes: [String: JSONValue],
    insteadOf current: [String: JSONValue] = [:],
    type: Policy.EntityType,
    field: String = "attributes"
  ) throws(RPCError) -> [String: JSONValue] {
    guard type.hasReports, !changes.isEmpty else { return changes }
    var written = changes
    for attribute in type.attributes where attribute.isReported {
      guard let given = written.removeValue(forKey: attribute.name) else { continue }
      let shown = current[attribute.name] ?? attribute.defaultValue.map(json) ?? .null
      guard given == shown else {
        throw EntityError.attributeReported("\(field).\(attribute.name)")
      }
    }
    return written
  }

  /// Throws unless a device can report what changes: of a type that says what its devices report, nothing else that
  /// the policy names.
  static func requireReported(
    _ changes: [String: JSONValue],
    type: Policy.EntityType
  ) throws(RPCError) {
    guard type.hasReports else { return }
    for attribute in type.attributes where !attribute.isReported && changes[attribute.name] != nil {
      throw EntityError.attributeNotReported("attributes.\(attribute.name)")
    }
  }

  /// The attributes after changes; INVALID_ARGUMENT when they become too large.
  static func merged(
    _ attributes: [String: JSONValue],
    _ changes: [String: JSONValue],
    field: String = "attributes"
  ) throws(RPCError) -> [String: JSONValue] {
    let merged = attributes.merging(changes) { $1 }.filter { $0.value != .null }
    let byteCount = merged.reduce(2) { $0 + $1.key.utf8.count + $1.value.text.utf8.count + 4 }
    guard byteCount <= EntityRecord.attributesByteCountMax else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "ATTRIBUTES_TOO_LARGE",
        "must not have more than \(EntityRecord.attributesByteCountMax) bytes together"
      )
    }
    return merged
  }

  /// Request bytes that are equal for equal attributes: a map has no order on the wire.
  static func canonical(_ fields: Google_Protobuf.Struct?) -> [UInt8] {
    var object = JSONObject()
    for (name, value) in (fields?.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
      object[name] = json(value)
    }
    return JSONValue.object(object).bytes
  }

  /// The bytes of a request with its attributes, which `remove` takes out of it, in one order.
  static func bytes<Request: Message>(
    of request: Request,
    _ attributes: [Google_Protobuf.Struct?],
    without remove: (inout Request) -> Void
  ) -> [UInt8] {
    var rest = request
    remove(&rest)
    return attributes.reduce(into: rest.protobufBytes) { $0 += canonical($1) }
  }

  /// The attributes that an access level may see, defaults filled in, without what a product has reserved.
  static func visible(
    _ record: EntityRecord,
    type: Policy.EntityType,
    accessLevel: Int,
    reserved: String? = nil
  ) -> Google_Protobuf.Struct {
    var visible: [String: Google_Protobuf.Value] = [:]
    for attribute in type.attributes
    where attribute.accessLevel <= accessLevel && attribute.name != reserved {
      if let value = record.attributes[attribute.name] ?? attribute.defaultValue.map(json) {
        visible[attribute.name] = self.value(value)
      }
    }
    if let others = type.otherAttributesLevel, others <= accessLevel {
      let known = Set(type.attributes.map(\.name))
      for (name, value) in record.attributes where !known.contains(name) {
        visible[name] = self.value(value)
      }
    }
    return Google_Protobuf.Struct(fields: visible)
  }

  /// A value as the policy's attributes have them; nil when none of them can have it.
  static func typed(_ value: JSONValue) -> Attribute.Value? {
    switch value {
    case .string(let text): .text(text)
    case .boolean(let flag): .boolean(flag)
    case .number(let number):
      number.integer.map { .integer($0) } ?? number.double.map { .number($0) }
    case .null, .array, .object: nil
    }
  }

  /// Whether an access level shows an attribute.
  static func shows(_ name: String, of type: Policy.EntityType, at level: Int) -> Bool {
    let attribute = type.attributes.first { $0.name == name }
    guard let needed = attribute?.accessLevel ?? type.otherAttributesLevel else { return false }
    return needed <= level
  }

  private static func nameInvalid(_ path: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(path, "ATTRIBUTE_INVALID", "is not a valid attribute name")
  }

  private static func check(
    _ name: String,
    _ value: JSONValue,
    _ type: Policy.EntityType,
    path: String
  ) throws(RPCError) {
    guard name.utf8.count <= 64, !name.isEmpty else { throw nameInvalid(path) }
    guard value != .null else { return }
    guard let attribute = type.attributes.first(where: { $0.name == name }) else {
      guard type.otherAttributesLevel != nil else {
        throw ErrorCatalog.tenancy.invalid(
          path,
          "ATTRIBUTE_INVALID",
          "is not an attribute of this type"
        )
      }
      return
    }
    guard let typed = Self.typed(value) else {
      throw ErrorCatalog.tenancy.invalid(
        path,
        "ATTRIBUTE_INVALID",
        "must have a value of the attribute's kind"
      )
    }
    do {
      try attribute.check(typed)
    } catch {
      throw ErrorCatalog.tenancy.invalid(path, "ATTRIBUTE_INVALID", error.problem)
    }
  }

  /// A value of an attribute or a parameter as JSON; numbers are finite.
  static func json(_ value: Attribute.Value) -> JSONValue {
    switch value {
    case .text(let text): .string(text)
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(JSONNumber(number))
    case .number(let number): JSONNumber(number).map { .number($0) } ?? .null
    }
  }

  /// Nil for a value of no kind and for numbers that JSON does not have.
  ///
  /// The decoder has bounded the nesting.
  static func json(_ value: Google_Protobuf.Value) -> JSONValue? {
    switch value.kind {
    case nil: return nil
    case .nullValue: return .null
    case .boolValue(let flag): return .boolean(flag)
    case .stringValue(let text): return .string(text)
    case .numberValue(let number):
      if let whole = Int64(exactly: number) { return .number(JSONNumber(whole)) }
      return JSONNumber(number).map { .number($0) }
    case .listValue(let list):
      let elements = list.values.compactMap(json)
      return elements.count == list.values.count ? .array(elements) : nil
    case .structValue(let fields):
      var object = JSONObject()
      for name in fields.fields.keys.sorted() {
        guard let value = fields.fields[name].flatMap(json) else { return nil }
        object[name] = value
      }
      return .object(object)
    }
  }

  static func value(_ json: JSONValue) -> Google_Protobuf.Value {
    var value = Google_Protobuf.Value()
    switch json {
    case .null: value.kind = .nullValue(.nullValue)
    case .boolean(let flag): value.kind = .boolValue(flag)
    case .string(let text): value.kind = .stringValue(text)
    case .number(let number): value.kind = .numberValue(number.double ?? 0)
    case .array(let elements):
      value.kind = .listValue(Google_Protobuf.ListValue(values: elements.map(self.value)))
    case .object(let object):
      var fields: [String: Google_Protobuf.Value] = [:]
      for member in object.members { fields[member.name] = self.value(member.value) }
      value.kind = .structValue(Google_Protobuf.Struct(fields: fields))
    }
    return value
  }
}
