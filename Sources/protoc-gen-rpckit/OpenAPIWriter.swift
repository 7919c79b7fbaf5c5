import ProtoSchema

/// Describes all methods that can be called by HTTP, in OpenAPI 3.1.
struct OpenAPIWriter {
  private let schema: Schema
  private let options: GeneratorOptions
  private var schemas: OpenAPISchemas

  init(_ schema: Schema, _ options: GeneratorOptions) {
    self.schema = schema
    self.options = options
    schemas = OpenAPISchemas(schema)
  }

  /// The document.
  consuming func document() -> JSONNode {
    var tags: [JSONNode] = []
    var operations: [(path: String, method: String, value: JSONNode)] = []
    let files = schema.generatedFiles.sorted { $0.name < $1.name }
    for service in files.flatMap(\.services) {
      let bound = service.methods.filter { !$0.bindings.isEmpty }
      guard !bound.isEmpty else { continue }
      tags.append([
        "name": .text(service.fullName),
        "description": .text(OpenAPISchemas.prose(service.comment)),
      ])
      for method in bound {
        for index in method.bindings.indices {
          let (path, value) = operation(index, of: method, in: service)
          operations.append((path, method.bindings[index].method.lowercased(), value))
        }
      }
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": .text(options.title), "version": "v1",
        "description": .text(
          (options.summary.isEmpty ? "" : "\(options.summary) ")
            + "Every answer has an envelope: `status` and `data`, or `status`, `message` and `details`."
        ),
      ],
      "servers": [["url": "/"]],
      "security": [["bearer": []]],
      "tags": .list(tags),
      "paths": Self.paths(operations),
      "components": [
        "securitySchemes": [
          "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]
        ],
        "responses": [
          "Error": [
            "description": "The call did not succeed.",
            "content": [
              "application/json": ["schema": ["$ref": "#/components/schemas/ErrorEnvelope"]]
            ],
          ]
        ],
        "schemas": .object(Self.common + schemas.components()),
      ],
    ]
  }

  private static func paths(
    _ operations: [(path: String, method: String, value: JSONNode)]
  ) -> JSONNode {
    let byPath = Dictionary(grouping: operations) { $0.path }
    return .object(
      byPath.keys.sorted().map { path in
        let methods = (byPath[path] ?? []).sorted { $0.method < $1.method }
        return (path, .object(methods.map { ($0.method, $0.value) }))
      }
    )
  }

  /// The schemas that are in no contract: the envelopes.
  private static let common: [(name: String, value: JSONNode)] = [
    (
      // `Error` is a class of JavaScript, which generators rename in some places only.
      "ErrorEnvelope",
      [
        "type": "object",
        "properties": [
          "status": ["type": "string", "const": "error"],
          "message": ["type": "string", "description": "What is wrong, for people."],
          "details": [
            "type": "object",
            "description": "What is wrong, for programs.",
            "properties": [
              "code": ["type": "string", "description": "The code of gRPC: `NOT_FOUND`."],
              "reason": [
                "type": "string", "description": "Why, as docs/reference/errors.md lists it.",
              ],
              "domain": ["type": "string", "description": "Who gave the reason."],
              "metadata": ["type": "object", "additionalProperties": ["type": "string"]],
              "fieldViolations": [
                "type": "array",
                "items": [
                  "type": "object",
                  "properties": [
                    "field": ["type": "string"], "description": ["type": "string"],
                    "reason": ["type": "string"],
                  ],
                ],
              ],
              "requestId": ["type": "string"],
            ],
            "required": ["code"],
          ],
        ],
        "required": ["status", "message", "details"],
        "examples": [
          [
            "status": "error", "message": "name must be set",
            "details": [
              "code": "INVALID_ARGUMENT", "reason": "FIELD_VIOLATIONS", "domain": "rpckit",
              "fieldViolations": [["field": "name", "description": "must be set"]],
            ],
          ]
        ],
      ]
    ),
    (
      "Pagination",
      [
        "type": "object",
        "properties": [
          "pageSize": [
            "type": "integer",
            "description": "Elements of a page; absent behind a page token without a limit.",
          ],
          "currentPage": [
            "type": "integer", "description": "Counted from 1; absent behind a page token.",
          ],
          "totalItems": [
            "type": "integer", "description": "Elements of all pages, where they are counted.",
          ],
          "totalPages": ["type": "integer", "description": "Pages, where they are counted."],
          "nextPageToken": [
            "type": "string", "description": "For the next page; empty at the end.",
          ],
        ],
        "required": ["nextPageToken"],
        "examples": [
          [
            "pageSize": .number("50"), "currentPage": .number("1"), "totalItems": .number("1"),
            "totalPages": .number("1"), "nextPageToken": "",
          ]
        ],
      ]
    ),
  ]

  // MARK: - Operations

  private mutating func operation(
    _ index: Int,
    of method: MethodSchema,
    in service: ServiceSchema
  ) -> (path: String, value: JSONNode) {
    let binding = method.bindings[index]
    guard let template = try? PathTemplate.parse(binding.path),
      let request = schema.messages[method.requestType]
    else { preconditionFailure("a path that was checked") }
    let prose = OpenAPISchemas.prose(method.comment)
    var members: [(name: String, value: JSONNode)] = [
      ("operationId", .text("\(service.name)_\(method.name)\(index == 0 ? "" : "_\(index)")")),
      ("tags", [.text(service.fullName)]),
      ("summary", .text(OpenAPISchemas.summary(method.comment))),
      ("description", .text(prose)),
    ]
    if method.caller == "public" { members.append(("security", [])) }
    let isPaged = isPaged(method, binding)
    let (path, inPath) = self.path(template, request)
    let parameters = inPath + query(binding, template, request, isPaged: isPaged)
    if !parameters.isEmpty { members.append(("parameters", .list(parameters))) }
    if let body = body(binding, template, request, method) {
      // One type alone: of two with the same schema, generators make one parameter twice.
      let type =
        method.rest.takesForms ? "application/x-www-form-urlencoded" : "application/json"
      let content: [(name: String, value: JSONNode)] = [(type, ["schema": body])]
      let isNeeded = isBodyNeeded(binding, template, request)
      members.append(
        ("requestBody", ["required": .flag(isNeeded), "content": .object(content)])
      )
    }
    let status = method.rest.creates ? "201" : "200"
    members.append(
      (
        "responses",
        .object([
          (status, answer(method, binding, isPaged: isPaged)),
          ("default", Self.error(method.rest.errors)),
        ])
      )
    )
    return (path, .object(members))
  }

  /// The answer where a call does not succeed.
  private static func error(_ form: RESTRules.Errors) -> JSONNode {
    let text: JSONNode = ["type": "string", "description": "What is wrong, for people."]
    let schema: JSONNode
    switch form {
    case .envelope: return ["$ref": "#/components/responses/Error"]
    case .text:
      return [
        "description": "The call did not succeed.", "content": ["text/plain": ["schema": text]],
      ]
    case .oauth:
      schema = [
        "type": "object",
        "properties": [
          "error": ["type": "string", "description": "As RFC 6749 section 5.2 has it."],
          "error_description": text,
        ],
        "required": ["error"],
      ]
    case .flag:
      schema = [
        "type": "object",
        "properties": [
          "key": ["type": "string", "description": "The flag."],
          "errorCode": ["type": "string", "description": "As OpenFeature has it."],
          "errorDetails": text,
        ],
      ]
    }
    return [
      "description": "The call did not succeed.",
      "content": ["application/json": ["schema": schema]],
    ]
  }

  /// The path with a name for each wildcard, and its parameters.
  private mutating func path(
    _ template: PathTemplate,
    _ request: MessageSchema
  ) -> (path: String, parameters: [JSONNode]) {
    var parts: [String] = []
    var parameters: [JSONNode] = []
    for (index, segment) in template.segments.enumerated() {
      if case .literal(let text) = segment {
        parts.append(text)
        continue
      }
      let variable = template.variables.first { $0.segments.contains(index) }
      let field = variable.flatMap { self.field($0.field.split(separator: "."), of: request) }
      let wildcards = variable?.segments.prefix { $0 < index }
        .filter { if case .literal = template.segments[$0] { false } else { true } }
      let name =
        (field?.jsonName ?? "segment")
        + (wildcards?.isEmpty == false ? "_\(wildcards?.count ?? 0)" : "")
      parts.append("{\(name)}")
      let schema = field.map { schemas.property($0, .parameter) } ?? ["type": "string"]
      parameters.append([
        "name": .text(name), "in": "path", "required": .flag(true), "schema": schema,
      ])
    }
    let verb = template.verb.isEmpty ? "" : ":\(template.verb)"
    return ("/" + parts.joined(separator: "/") + verb, parameters)
  }

  private func field(_ names: [Substring], of message: MessageSchema) -> FieldSchema? {
    guard let name = names.first, let field = message.fields.first(where: { $0.name == name })
    else { return nil }
    guard names.count > 1, case .message(let type) = field.type,
      let next = schema.messages[type]
    else { return field }
    return self.field(Array(names.dropFirst()), of: next)
  }

  /// The parameters of the query: what is neither in the path nor in the body.
  private mutating func query(
    _ binding: BindingSchema,
    _ template: PathTemplate,
    _ request: MessageSchema,
    isPaged: Bool
  ) -> [JSONNode] {
    guard binding.body != "*" else { return [] }
    let inPath = Set(template.variables.map(\.field))
    var parameters: [JSONNode] = []
    for field in request.fields where field.name != binding.body {
      add(field, path: field.name, name: field.jsonName, inPath, isIn: true, to: &parameters) {
        isPaged && $0 == "pageSize" ? "limit" : $0
      }
    }
    return parameters
  }

  /// A parameter for a field, or one for each part of a message, whose parts are needed where it is needed itself.
  private mutating func add(
    _ field: FieldSchema,
    path: String,
    name: String,
    _ inPath: Set<String>,
    isIn isMessageNeeded: Bool,
    to parameters: inout [JSONNode],
    _ spelling: (String) -> String
  ) {
    guard !inPath.contains(path) else { return }
    let isNeeded = isMessageNeeded && field.rules.isRequired
    if case .message(let type) = field.type, !type.hasPrefix("google.protobuf."),
      let message = schema.messages[type]
    {
      for part in message.fields {
        let partName = "\(name).\(part.jsonName)"
        let partPath = "\(path).\(part.name)"
        add(part, path: partPath, name: partName, inPath, isIn: isNeeded, to: &parameters, spelling)
      }
      return
    }
    var members: [(name: String, value: JSONNode)] = [
      ("name", .text(spelling(name))), ("in", "query"),
    ]
    if isNeeded { members.append(("required", .flag(true))) }
    members.append(("schema", schemas.property(field, .parameter)))
    parameters.append(.object(members))
  }

  private mutating func body(
    _ binding: BindingSchema,
    _ template: PathTemplate,
    _ request: MessageSchema,
    _ method: MethodSchema
  ) -> JSONNode? {
    switch binding.body {
    case "": return nil
    case "*":
      let fields = bodyFields(template, request)
      guard method.rest.current.isEmpty else {
        let shown = schema.messages[method.responseType]?.fields ?? []
        let names = Set(request.fields.map(\.jsonName))
        return schemas.object(
          fields + shown.filter { !names.contains($0.jsonName) },
          of: request,
          .request,
          isBody: true
        )
      }
      return fields.count == request.fields.count
        ? schemas.reference(to: request.fullName, .request, isBody: true)
        : schemas.object(fields, of: request, .request, isBody: true)
    default:
      let field = request.fields.first { $0.name == binding.body }
      if let field, case .message(let type) = field.type, schema.messages[type] != nil,
        !type.hasPrefix("google.protobuf."), !field.isRepeated
      {
        return schemas.reference(to: type, .request, isBody: true)
      }
      return field.map { schemas.property($0, .request) }
    }
  }

  private func bodyFields(_ template: PathTemplate, _ request: MessageSchema) -> [FieldSchema] {
    let inPath = Set(template.variables.map(\.field))
    return request.fields.filter { !inPath.contains($0.name) }
  }

  /// Whether a request without a body is refused: an empty body is an object without members.
  private func isBodyNeeded(
    _ binding: BindingSchema,
    _ template: PathTemplate,
    _ request: MessageSchema
  ) -> Bool {
    let fields =
      binding.body == "*"
      ? bodyFields(template, request) : request.fields.filter { $0.name == binding.body }
    return fields.contains { OpenAPISchemas.isNeeded($0) }
  }

  private func isPaged(_ method: MethodSchema, _ binding: BindingSchema) -> Bool {
    let request = schema.messages[method.requestType]?.fields ?? []
    let response = schema.messages[method.responseType]?.fields ?? []
    return binding.responseBody.isEmpty && request.contains { $0.name == "page_size" }
      && response.contains { $0.name == "next_page_token" }
  }

  private mutating func answer(
    _ method: MethodSchema,
    _ binding: BindingSchema,
    isPaged: Bool
  ) -> JSONNode {
    let output = schema.messages[method.responseType]
    guard method.rest.raw.isEmpty else { return Self.rawAnswer(method) }
    let field = output?.fields.first { $0.name == binding.responseBody }
    var data =
      field.map { schemas.property($0, .answer) }
      ?? schemas.reference(to: method.responseType, .answer, isBody: true)
    if isPaged {
      data = [
        "allOf": [
          data,
          [
            "type": "object",
            "properties": ["pagination": ["$ref": "#/components/schemas/Pagination"]],
            "required": ["pagination"],
          ],
        ]
      ]
    }
    if method.isServerStreaming { return stream(of: data, method) }
    let envelope: JSONNode =
      method.rest.isPlain
      ? data
      : [
        "type": "object",
        "properties": ["status": ["type": "string", "const": "success"], "data": data],
        "required": ["status", "data"],
      ]
    return [
      "description": method.rest.creates ? "It was made." : "The call succeeded.",
      "content": ["application/json": ["schema": envelope]],
    ]
  }

  /// An answer that is the text of a field.
  private static func rawAnswer(_ method: MethodSchema) -> JSONNode {
    let type = method.rest.contentType.contains("/") ? method.rest.contentType : "*/*"
    let schema: JSONNode = type == "application/json" ? [:] : ["type": "string"]
    let content: JSONNode = ["schema": schema]
    return [
      "description": "The call succeeded; an answer that breaks off did not.",
      "content": .object([(type, content)]),
    ]
  }

  /// The answer of a method with many messages.
  private func stream(of data: JSONNode, _ method: MethodSchema) -> JSONNode {
    let lines: JSONNode = [
      "schema": [
        "oneOf": [
          ["type": "object", "properties": ["data": data], "required": ["data"]],
          [
            "type": "object",
            "properties": ["status": ["type": "string", "const": "success"]],
            "required": ["status"],
          ],
          ["$ref": "#/components/schemas/ErrorEnvelope"],
        ]
      ]
    ]
    let description = """
      One JSON value a line: `data` for each message, and in the last line `status`, which says how the stream \
      ended.
      """
    guard method.rest.hasEvents else {
      return [
        "description": .text(description),
        "content": ["application/x-ndjson": lines],
      ]
    }
    return [
      "description": .text(
        description + """
           Or server-sent events: the type is the message's kind in lower case, the id its resume token, the data \
          the message; the last one has the type `end` or, with an error envelope, `error`.
          """
      ),
      "content": [
        "application/x-ndjson": lines,
        "text/event-stream": ["schema": ["type": "string"]],
      ],
    ]
  }
}
