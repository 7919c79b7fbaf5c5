internal import CommandLineTool

/// A command of a service's program: name, arguments, help and work.
struct ProgramCommand<Settings: Sendable>: Sendable {
  let name: String
  /// The arguments, as help shows them.
  let arguments: String
  let summary: String
  /// Runs it with its words, and returns what to print.
  let run: @Sendable (Settings, [String]) async throws -> String

  init(
    _ name: String,
    _ arguments: String,
    _ summary: String,
    _ run: @escaping @Sendable (Settings, [String]) async throws -> String
  ) {
    (self.name, self.arguments, self.summary, self.run) = (name, arguments, summary, run)
  }

  /// The command that the first of `words` names, if the others are what it takes; nil without words.
  static func called(
    by words: [String],
    among commands: [ProgramCommand]
  ) throws(UsageError) -> ProgramCommand? {
    guard let name = words.first else { return nil }
    guard let command = commands.first(where: { $0.name == name }) else {
      throw UsageError("unknown command \(name)")
    }
    try ArgumentList(command.arguments).check(Array(words.dropFirst()))
    return command
  }
}
