internal import CommandLineTool
internal import Reflection

extension Command {
  /// `gatehouse describe`: a method with its messages and an example, a message or an enum.
  static let describe = Command(
    name: "describe",
    arguments: "METHOD|TYPE",
    summary: "show a method, a message or an enum",
    details: """
      Shows who may call METHOD, what its request and response hold, which values are accepted, and
      an example to start from; or the fields of a message, or the values of an enum.

        gatehouse describe Portfolios/Create
        gatehouse describe tenancy.v1.Device
      """
  ) { context, words in
    let text = SchemaText(registry: context.registry, style: context.console.outputStyle)
    for line in try lines(of: words[0], text) { try context.console.line(line) }
  }

  /// A method or a type, with or without its package.
  private static func lines(of name: String, _ text: SchemaText) throws -> [String] {
    guard !name.contains("/") else {
      return try text.lines(of: MethodLookup.method(name, in: text.registry))
    }
    let names = text.registry.typeNames(matching: name)
    guard let type = names.first else {
      throw UsageError("unknown method or type \"\(name)\"; gatehouse list shows the methods")
    }
    guard names.count == 1 else {
      throw UsageError("\"\(name)\" is ambiguous; it can be \(names.joined(separator: " or "))")
    }
    return try text.lines(ofType: type)
  }
}
