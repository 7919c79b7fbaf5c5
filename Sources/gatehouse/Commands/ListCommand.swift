internal import Reflection

/// `gatehouse list`: services, or the methods of one.
struct ListCommand: Command {
  /// The service whose methods are wanted; nil lists the services.
  let service: String?

  func run(_ context: CommandContext) async throws {
    guard let service else {
      for service in context.registry.services { try context.console.line(service.name) }
      return
    }
    let schema = try MethodLookup.service(service, in: context.registry)
    try context.console.line(schema.name)
    let width = schema.methods.map(\.name.count).max() ?? 0
    for method in schema.methods {
      let name = method.name + String(repeating: " ", count: width - method.name.count)
      try context.console.line("  \(name)  \(CallerText.short(method))")
    }
  }
}
