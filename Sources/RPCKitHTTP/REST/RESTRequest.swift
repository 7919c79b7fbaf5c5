internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Puts the request of a method together from path, query, headers and body.
///
/// Two values for one field are refused, wherever they come from, equal or not: a program in front may have
/// checked the other one.
struct RESTRequest {
  private let route: RESTRoute
  private let registry: SchemaRegistry
  /// The fields so far, by JSON names.
  private(set) var fields = JSONObject()
  /// Singular fields that have their value, by path.
  private var given: Set<String> = []

  init(_ route: RESTRoute, _ registry: SchemaRegistry) {
    self.route = route
    self.registry = registry
  }

  /// Takes what the path says.
  mutating func take(_ path: RESTPath, hasVerb: Bool) throws(RESTFailure) {
    for (field, segments) in route.variables {
      let isSingle =
        segments.count == 1 && route.binding.segments[segments.lowerBound] == .single
      let text =
        isSingle
        ? path.segment(segments.lowerBound, withoutVerb: hasVerb)
        : path.value(
          of: segments.lowerBound..<(endsOpen(segments) ? path.count : segments.upperBound),
          withoutVerb: hasVerb
        )
      try set(field, text, "path")
    }
  }

  /// Whether a variable ends with `**`, and so with the path.
  private func endsOpen(_ segments: Range<Int>) -> Bool {
    segments.last.map { route.binding.segments[$0] == .rest } ?? false
  }

  /// Takes what the query says; keys in `ignored` mean nothing.
  mutating func take(_ query: RESTQuery, ignored: Set<String>) throws(RESTFailure) {
    for (key, value) in query.pairs where !ignored.contains(key) {
      guard route.binding.body != .whole else {
        throw .invalid(key, "is in the query, but all fields are in the body; send it there")
      }
      let field: RESTField
      do throws(SchemaError) {
        field = try RESTField(names(key), of: route.method.requestType, registry)
      } catch {
        throw .invalid(key, "\(error.problem) of the query; see the contract for those there are")
      }
      if let body = route.bodyField, field.path[0] == body.jsonName {
        throw .invalid(field.name, "is in the query, but belongs in the body")
      }
      try set(field, value, "query")
    }
  }

  /// `limit` is the name that `page_size` has for clients that count pages.
  private func names(_ key: String) -> [String] {
    if key == RESTPaging.sizeKey, let paging = route.paging { return [paging.size.name] }
    return key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// Takes the body.
  mutating func take(_ body: JSONValue) throws(RESTFailure) {
    switch route.binding.body {
    case .none: return
    case .field:
      guard let field = route.bodyField else { return }
      fields[field.jsonName] = body
    case .whole: try takeWhole(body)
    }
  }

  private mutating func takeWhole(_ body: JSONValue) throws(RESTFailure) {
    guard let object = body.object else {
      throw .invalid("", "the body must be an object, not \(body.kind)")
    }
    let inPath = fields
    let schema: MessageSchema
    do throws(SchemaError) {
      schema = try registry.message(route.method.requestType)
    } catch {
      throw RESTFailure(error)
    }
    var extra = JSONObject()
    for member in object.members {
      let field = schema.field(called: member.name)
      if let field, let other = inPath[field.jsonName] {
        fields[field.jsonName] = try Self.merge(member.value, into: other, at: field.jsonName)
      } else if field == nil, takesExtra(object) {
        extra.append(name: member.name, value: member.value)
      } else if let current = route.current,
        let read = members(read: member, field, current.response)
      {
        for member in read { try take(member, asCurrent: current.field) }
      } else {
        fields[member.name] = member.value
      }
    }
    if let field = route.extraMembers, !extra.members.isEmpty {
      fields[field.jsonName] = .object(extra)
    }
    do throws(SchemaError) {
      try addMask(object, schema)
    } catch {
      throw RESTFailure(error)
    }
  }

  /// Whether members of a body that the request does not have go into the field for those.
  private func takesExtra(_ body: JSONObject) -> Bool {
    guard let field = route.extraMembers else { return false }
    return body[field.jsonName] == nil && body[field.name] == nil
  }

  /// The members of an answer that a member of the body has: itself if the request has no such field, or those in
  /// the field for all of them; nil for others.
  private func members(
    read member: JSONObject.Member,
    _ field: FieldSchema?,
    _ response: MessageSchema
  ) -> [JSONObject.Member]? {
    if field?.name == route.binding.current { return member.value.object?.members }
    return field == nil && response.field(called: member.name) != nil ? [member] : nil
  }

  /// Takes a member that only the answer has: what the client has read, for the method to compare.
  private mutating func take(
    _ member: JSONObject.Member,
    asCurrent field: FieldSchema
  ) throws(RESTFailure) {
    var current = fields[field.jsonName]?.object ?? JSONObject()
    guard current[member.name] == nil else {
      throw .invalid(member.name, "is given twice; send it once")
    }
    current[member.name] = member.value
    fields[field.jsonName] = .object(current)
  }

  /// A field of the path may stand in the body too if it says the same there.
  private static func merge(
    _ value: JSONValue,
    into other: JSONValue,
    at path: String
  ) throws(RESTFailure) -> JSONValue {
    if let members = value.object?.members, var object = other.object {
      for member in members {
        let known = object[member.name]
        object[member.name] =
          try known.map { known throws(RESTFailure) in
            try merge(member.value, into: known, at: "\(path).\(member.name)")
          } ?? member.value
      }
      return .object(object)
    }
    guard value == .null || value == other || value.number?.text == other.string else {
      throw .invalid(path, "is one in the path and another in the body; send it once")
    }
    return other
  }

  /// A body without a mask changes the fields that it has.
  private mutating func addMask(_ body: JSONObject, _ schema: MessageSchema) throws(SchemaError) {
    guard let mask = route.updateMask else { return }
    guard body[mask.jsonName] == nil, body[mask.name] == nil else {
      return rename(mask, schema)
    }
    let inPath = Set(route.variables.map { $0.field.path[0] })
    var paths: [String] = []
    for member in body.members {
      guard let field = schema.field(called: member.name),
        !inPath.contains(field.jsonName), !Self.conditions.contains(field.jsonName),
        field.name != route.binding.current
      else { continue }
      let changed = try changedPaths(member.value, field, at: field.maskName)
      // Without a path the mask might be empty, which stands for all that is given.
      if changed.isEmpty { fields[member.name] = nil }
      paths += changed
    }
    fields[mask.jsonName] = .string(paths.joined(separator: ","))
  }

  /// Paths of a mask begin with the names that the contract's mask has, however JSON calls the fields.
  private mutating func rename(_ mask: FieldSchema, _ schema: MessageSchema) {
    guard schema.fields.contains(where: { $0.maskName != $0.jsonName }) else { return }
    for name in [mask.jsonName, mask.name] {
      guard let paths = fields[name]?.string else { continue }
      let renamed = paths.split(separator: ",", omittingEmptySubsequences: false).map { path in
        let head = String(path.prefix { $0 != "." })
        let field = schema.field(called: head)
        return (field?.maskName ?? head) + path.dropFirst(head.count)
      }
      fields[name] = .string(renamed.joined(separator: ","))
    }
  }

  /// Fields that say when to change something, and not what.
  private static let conditions: Set<String> = ["expectedRevision", "idempotencyKey"]

  /// The paths that a value of a body changes: its own, or for PATCH, which merges objects (RFC 7396), those of
  /// its members.
  private func changedPaths(
    _ value: JSONValue,
    _ field: FieldSchema,
    at path: String
  ) throws(SchemaError) -> [String] {
    guard route.binding.method == "PATCH", let object = value.object,
      let schema = try mergedMessage(of: field)
    else { return [path] }
    var paths: [String] = []
    for member in object.members {
      // A name that there is not is refused where the message is made.
      guard let inner = schema.field(called: member.name) else { return [path] }
      paths += try changedPaths(member.value, inner, at: "\(path).\(inner.jsonName)")
    }
    return paths
  }

  /// The type of a field whose members change one by one; nil for lists, messages around a list, and types with a
  /// JSON of their own.
  private func mergedMessage(of field: FieldSchema) throws(SchemaError) -> MessageSchema? {
    guard field.kind == .message, !field.isRepeated,
      !field.typeName.hasPrefix("google.protobuf.")
    else { return nil }
    let schema = try registry.message(field.typeName)
    return schema.fields.count == 1 && schema.fields[0].isRepeated ? nil : schema
  }

  /// Takes the header `idempotency-key`, if the request has a field for it.
  mutating func take(idempotencyKey: String) throws(RESTFailure) {
    guard let field = route.idempotencyKey else { return }
    let given = fields[field.jsonName] ?? fields[field.name] ?? .string("")
    guard given == .string("") || given == .string(idempotencyKey) else {
      throw .invalid(
        field.jsonName,
        "is one in the header idempotency-key and another in the request; send it once"
      )
    }
    fields[field.name] = nil
    fields[field.jsonName] = .string(idempotencyKey)
  }

  /// Takes the header `last-event-id`, with which clients open a stream of events again.
  mutating func take(lastEventID: String) throws(RESTFailure) {
    guard let token = route.events?.token, !lastEventID.isEmpty else { return }
    guard fields[token.jsonName] == nil else {
      throw .invalid(token.jsonName, "is given twice; send it or the header last-event-id")
    }
    fields[token.jsonName] = .string(lastEventID)
  }

  private mutating func set(
    _ field: RESTField,
    _ text: String,
    _ place: String
  ) throws(RESTFailure) {
    let isRepeated = field.schema.isRepeated
    guard isRepeated || given.insert(field.name).inserted else {
      throw .invalid(field.name, "is given twice; send it once, in the \(place) or elsewhere")
    }
    let value = try Self.value(text, field)
    fields = .inserting(value, at: field.path[...], isRepeated: isRepeated, into: fields)
  }

  private static func value(_ text: String, _ field: RESTField) throws(RESTFailure) -> JSONValue {
    switch field.schema.kind {
    case .bool:
      switch text {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      default: throw .invalid(field.name, "must be true or false")
      }
    case .enum: return Int32(text).map { .number(JSONNumber($0)) } ?? .string(text)
    default: return .string(text)
    }
  }
}

extension MessageSchema {
  /// The field with a name in JSON or in the contract.
  fileprivate func field(called name: String) -> FieldSchema? {
    fields.first { $0.isCalled(name) }
  }
}

extension FieldSchema {
  /// The name in a mask in JSON, which is made of the contract's name and not of that of JSON.
  fileprivate var maskName: String { JSONNames.lowerCamelCase(name) }
}

extension JSONObject {
  /// The object with a value at a path of names; the messages on the way are made.
  fileprivate static func inserting(
    _ value: JSONValue,
    at path: ArraySlice<String>,
    isRepeated: Bool,
    into object: JSONObject
  ) -> JSONObject {
    guard let name = path.first else { return object }
    var object = object
    if path.count > 1 {
      let inner = object[name]?.object ?? JSONObject()
      object[name] = .object(
        inserting(value, at: path.dropFirst(), isRepeated: isRepeated, into: inner)
      )
    } else if isRepeated {
      object[name] = .array((object[name]?.array ?? []) + [value])
    } else {
      object[name] = value
    }
    return object
  }
}
