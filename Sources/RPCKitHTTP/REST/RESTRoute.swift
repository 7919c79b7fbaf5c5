internal import RPCKit
internal import Reflection

/// One way to call a method by HTTP, with what is known of its request.
final class RESTRoute: Sendable {
  let binding: HTTPBinding
  let method: MethodDescriptor
  /// `/tenancy.v1.Portfolios/Create`.
  let methodPath: String
  /// The variables of the path as fields.
  let variables: [(field: RESTField, segments: Range<Int>)]
  /// The fields of the request.
  let fields: [FieldSchema]
  /// The field that is the body; nil for none and for the whole request.
  let bodyField: FieldSchema?
  /// The field that is the answer; nil for the whole response.
  let responseField: FieldSchema?
  /// Where an idempotency key goes; nil when the request has no field for it.
  let idempotencyKey: FieldSchema?
  /// The field that says which fields to change, if there is one and the body is the whole request: a body
  /// that does not give it changes what it has.
  let updateMask: FieldSchema?
  /// The field for members of the body that the request does not have; nil when those are refused.
  let extraMembers: FieldSchema?
  /// The field that takes members of the body that only the response has, and the response.
  let current: (field: FieldSchema, response: MessageSchema)?
  /// The field whose text is the answer, and the one that has its type if no type is said; nil for answers in JSON.
  let raw: (text: FieldSchema, type: FieldSchema?)?
  /// Whether answers are the text of a field; asked of every request, for which the fields would be copied.
  let isRaw: Bool
  /// How the answers are read as server-sent events; nil when they cannot be.
  let events: EventFormat?
  /// Whether they can be; asked as `isRaw`.
  let hasEvents: Bool
  /// How many elements a page has, and which it is, when the answer is a page of a list.
  let paging: RESTPaging?
  /// Whether it is one; asked as `isRaw`.
  let isPaged: Bool
  /// The fields of every answer that is JSON as a whole.
  let commonFields: CommonFields
  /// The plan of the response; nil for one that has none.
  let responsePlan: Int?
  /// How requests become messages without a tree; nil for routes that need one.
  let planned: RESTPlannedRequest?

  /// The field of requests for an idempotency key.
  static let idempotencyKeyName = "idempotency_key"

  /// Throws when the contract has a type that `registry` does not know.
  init(
    _ binding: HTTPBinding,
    of method: MethodDescriptor,
    _ registry: SchemaRegistry,
    _ plans: MessagePlans
  ) throws(SchemaError) {
    self.binding = binding
    self.method = method
    methodPath = "/\(method.service)/\(method.method)"
    let request = try registry.message(method.requestType)
    let response = try registry.message(method.responseType)
    var variables: [(field: RESTField, segments: Range<Int>)] = []
    for variable in binding.variables {
      let names = variable.field.split(separator: ".").map(String.init)
      let field = try RESTField(names, of: method.requestType, registry)
      variables.append((field, variable.segments))
    }
    self.variables = variables
    fields = request.fields
    if case .field(let name) = binding.body {
      bodyField = request.fields.first { $0.name == name }
    } else {
      bodyField = nil
    }
    responseField = response.fields.first { $0.name == binding.responseBody }
    idempotencyKey = request.fields.first { $0.name == Self.idempotencyKeyName }
    let masks = request.fields.filter { $0.typeName == "google.protobuf.FieldMask" }
    updateMask = binding.body == .whole && masks.count == 1 ? masks[0] : nil
    extraMembers = request.fields.first { $0.name == binding.extraMembers }
    current = request.fields.first { $0.name == binding.current }.map { ($0, response) }
    raw = response.fields.first { $0.name == binding.raw }.map { text in
      (text, response.fields.first { $0.name == binding.contentType })
    }
    isRaw = raw != nil
    events = binding.hasEvents ? EventFormat(request, response) : nil
    hasEvents = events != nil
    paging = responseField == nil ? RESTPaging(request, response) : nil
    isPaged = paging != nil
    commonFields = CommonFields(
      ["content-type": "application/json", "cache-control": binding.cacheControl],
      isForBrowsers: true
    )
    responsePlan = plans.place(of: method.responseType)
    let isPlanned = updateMask == nil && extraMembers == nil && current == nil
    planned =
      isPlanned
      ? RESTPlannedRequest(
        binding,
        variables,
        of: request.fields,
        plan: plans.place(of: method.requestType)
      ) : nil
  }
}

/// A field of a request, or of a message in it, that a path or a query can give.
struct RESTField: Sendable {
  /// The JSON names that lead to it.
  let path: [String]
  let schema: FieldSchema
  /// An enum of the contract.
  let isEnum: Bool

  /// `author.given_name` or `author.givenName`.
  ///
  /// Throws when there is no such field, or when it is a message whose JSON is no text.
  init(
    _ names: [String],
    of type: String,
    _ registry: SchemaRegistry
  ) throws(SchemaError) {
    var type = type
    var path: [String] = []
    var found: FieldSchema?
    for (index, name) in names.enumerated() {
      let field = try registry.message(type).fields.first { $0.isCalled(name) }
      let isLast = index == names.count - 1
      guard let field, isLast || (field.kind == .message && !field.isRepeated) else {
        throw SchemaError("is no field")
      }
      path.append(field.jsonName)
      type = field.typeName
      found = field
    }
    guard let found, found.kind != .message || Self.texts.contains(found.typeName) else {
      throw SchemaError("is no field with a single value")
    }
    self.path = path
    schema = found
    isEnum = found.kind == .enum
  }

  private static let texts: Set<String> = [
    "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask",
  ]

  /// `author.givenName`.
  var name: String { path.joined(separator: ".") }
}
