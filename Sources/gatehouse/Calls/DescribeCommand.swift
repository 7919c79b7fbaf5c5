internal import CommandLineTool
internal import Reflection

/// `gatehouse describe`: a method with its messages and an example, a message or an enum.
struct DescribeCommand: Command {
  static let description = CommandDescription(
    name: "describe",
    arguments: "METHOD|TYPE",
    summary: "show a method, a message or an enum",
    details: """
      Shows who may call METHOD, what its request and response hold, which values are accepted, and
      an example to start from; or the fields of a message, or the values of an enum.

        gatehouse describe Portfolios/Create
        gatehouse describe tenancy.v1.Device
      """
  ) { words throws(UsageError) in
    DescribeCommand(name: try words.checked(["METHOD or TYPE"])[0])
  }

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
