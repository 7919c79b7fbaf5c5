internal import ServiceKit
internal import Reflection

/// The completions at the cursor.
struct Completer {
  let registry: SchemaRegistry
  /// The commands of the program.
  let commands: [Command]

  /// Options that are followed by a value.
  private static let valued: Set = [
    "--ca", "--descriptors", "--format", "--from", "--key", "--output", "--product", "--request",
    "--role", "--session", "--target", "--timeout", "--to", "--verify",
  ]

  /// Words that can complete the last one of `words`, which may be empty; sorted.
  ///
  /// None where the shell should offer files, or nothing is known.
  func candidates(for words: [String]) -> [String] {
    guard let prefix = words.last else { return [] }
    return all(before: Array(words.dropLast()), prefix).filter { $0.hasPrefix(prefix) }.sorted()
  }

  private func all(before: [String], _ prefix: String) -> [String] {
    if let option = before.last, Self.valued.contains(option) { return values(of: option) }
    guard !prefix.hasPrefix("-") else { return CommandLineOptions.names }
    let words = positional(before)
    guard let name = words.first else { return commands.map(\.name) + ["help"] }
    let arguments = Array(words.dropFirst())
    if name == "help" { return arguments.isEmpty ? commands.map(\.name) : [] }
    switch name {
    case "list" where arguments.isEmpty: return services(prefix)
    case "describe" where arguments.isEmpty:
      return methods(prefix) { _ in true } + (prefix.contains(".") ? registry.typeNames : [])
    case "call": return target(arguments) + methods(arguments, prefix) { !$0.isServerStreaming }
    case "watch": return target(arguments) + methods(arguments, prefix) { $0.isServerStreaming }
    case _ where arguments.isEmpty: return commands.first { $0.name == name }?.firstWords ?? []
    default: return []
    }
  }

  private func values(of option: String) -> [String] {
    switch option {
    case "--format": ReportFormat.allCases.map(\.rawValue)
    case "--output": OutputFormat.allCases.map(\.rawValue)
    case "--product": SeedProduct.allCases.map(\.rawValue)
    case "--target": CommandLineOptions.defaultTargets.keys.map { "\($0)=" }
    default: []
    }
  }

  /// The words without options and their values.
  private func positional(_ words: [String]) -> [String] {
    var rest = words[...]
    var positional: [String] = []
    while let word = rest.popFirst() {
      if Self.valued.contains(word) {
        _ = rest.popFirst()
      } else if !word.hasPrefix("-") {
        positional.append(word)
      }
    }
    return positional
  }

  private func target(_ arguments: [String]) -> [String] {
    arguments.isEmpty ? Array(CommandLineOptions.defaultTargets.keys) : []
  }

  private func methods(
    _ arguments: [String],
    _ prefix: String,
    where isWanted: (MethodSchema) -> Bool
  ) -> [String] {
    let isTargetFirst = arguments.first.map { CommandLineOptions.defaultTargets[$0] != nil } == true
    guard arguments.count == (isTargetFirst ? 1 : 0) else { return [] }
    return methods(prefix) { isWanted($0) && !$0.isClientStreaming }
  }

  private func methods(_ prefix: String, where isWanted: (MethodSchema) -> Bool) -> [String] {
    registry.services.flatMap { service in
      service.methods.filter(isWanted).map { "\(spelling(of: service, prefix))/\($0.name)" }
    }
  }

  private func services(_ prefix: String) -> [String] {
    registry.services.map { spelling(of: $0, prefix) }
  }

  /// Without its package, unless the package is being typed or is needed.
  private func spelling(of service: ServiceSchema, _ prefix: String) -> String {
    let isAmbiguous = registry.services.count { $0.fullName.hasSuffix(".\(service.name)") } > 1
    return isAmbiguous || prefix.contains(".") ? service.fullName : service.name
  }
}
