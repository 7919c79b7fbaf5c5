internal import Reflection

/// `gatehouse describe`: a method with its messages and an example, a message or an enum.
struct DescribeCommand: Command {
  /// A method or a type, with or without its package.
  let name: String

  func run(_ context: CommandContext) async throws {
    let (registry, style) = (context.registry, context.console.outputStyle)
    for line in try description(SchemaText(registry: registry, style: style), registry) {
      try context.console.line(line)
    }
  }

  private func description(_ text: SchemaText, _ registry: SchemaRegistry) throws -> [String] {
    guard !name.contains("/") else {
      return try text.lines(of: MethodLookup.method(name, in: registry))
    }
    let names = registry.typeNames(matching: name)
    guard let type = names.first else {
      throw UsageError("unknown method or type \"\(name)\"; gatehouse list shows the methods")
    }
    guard names.count == 1 else {
      throw UsageError("\"\(name)\" is ambiguous; it can be \(names.joined(separator: " or "))")
    }
    return try text.lines(ofType: type)
  }
}
