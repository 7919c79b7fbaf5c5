internal import Reflection
internal import ServiceKit

extension Command {
  /// `gatehouse list`: services, or the methods of one.
  static let list = Command(
    name: "list",
    arguments: "[SERVICE]",
    summary: "list the services, or the methods of one",
    details: """
      Lists all services, or the methods of SERVICE and who may call them. You can omit the package:
      Portfolios is tenancy.v1.Portfolios. With --output json, each is a line of JSON.
      """,
    formats: OutputFormat.allCases
  ) { context, words in
    guard let service = words.first else {
      let services = context.registry.services
      return try context.show(services.map { json($0) }, table: services.map(\.fullName))
    }
    let schema = try MethodLookup.service(service, in: context.registry)
    let width = schema.methods.map(\.name.count).max() ?? 0
    let lines = schema.methods.map { method in
      let name = method.name + String(repeating: " ", count: width - method.name.count)
      return "  \(name)  \(CallerText.short(method))"
    }
    try context.show(
      schema.methods.map { json($0) },
      table: [context.console.outputStyle.heading(schema.fullName)] + lines
    )
  }

  private static func json(_ service: ServiceSchema) -> JSONValue {
    [
      "service": .string(service.fullName),
      "methods": .array(service.methods.map { .string($0.name) }),
    ]
  }

  private static func json(_ method: MethodSchema) -> JSONValue {
    [
      "method": .string(method.path), "requestType": .string(method.requestType),
      "responseType": .string(method.responseType), "caller": .string(method.caller),
      "callingServices": .array(method.callingServices.map { .string($0) }),
      "stepUp": .string(method.stepUp), "idempotent": .boolean(method.isIdempotent),
      "clientStreaming": .boolean(method.isClientStreaming),
      "serverStreaming": .boolean(method.isServerStreaming),
    ]
  }
}
