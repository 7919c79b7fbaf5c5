internal import Reflection

/// `gatehouse watch` without a method: what a person may watch.
struct WatchListCommand: Command {
  func run(_ context: CommandContext) async throws {
    for method in Self.methods(in: context.registry) {
      try context.console.line("\(method.path)  \(CallerText.short(method))")
    }
  }

  /// Methods that stream their answers to others than services.
  static func methods(in registry: SchemaRegistry) -> [MethodSchema] {
    registry.services.flatMap(\.methods).filter { method in
      method.isServerStreaming && !method.isClientStreaming && method.caller != "service"
    }
  }
}
