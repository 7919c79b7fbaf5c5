internal import CommandLineTool

/// A command: its name, its arguments, its help and its work.
struct Command: Sendable {
  /// Its name.
  let name: String
  /// The arguments, as help shows them.
  var arguments = ""
  /// The words that it takes, where they are not those of `arguments`.
  var words: ArgumentList?
  /// One line for the list of commands.
  let summary: String
  /// Everything else.
  let details: String
  /// The formats in which it can write what it finds.
  var formats: [OutputFormat] = []
  /// Options that no other command has.
  var options: [String] = []
  /// The words that they belong to, if not to all of the command.
  var optionScope: String?
  /// The choices for the first argument, for completion; empty when it is not a choice.
  var firstWords: [String] = []
  /// Does it with the words after its name; throws what the program reports.
  let run: @Sendable (_ context: CommandContext, _ words: [String]) async throws -> Void

  /// Refuses words and options that mean nothing to the command, rather than to overlook them.
  func check(
    _ given: CommandLineOptions,
    _ arguments: [String],
    among commands: [Command]
  ) throws(UsageError) {
    if let format = given.output, !formats.contains(format) {
      throw UsageError("--output \(format.rawValue) is not for gatehouse \(name)")
    }
    for option in given.ownOptions where !options.contains(option) {
      if option == "--output", let text = given.report[option] {
        throw UsageError("--output \"\(text)\" is not a format; use json or table")
      }
      let owner = commands.first { $0.options.contains(option) }
      throw UsageError(
        "\(option) is only for gatehouse \(owner?.optionScope ?? owner?.name ?? "")"
      )
    }
    try (words ?? ArgumentList(self.arguments)).check(arguments)
  }
}

extension [String] {
  /// The first word as one of a few tasks.
  func task<Task: CaseIterable & RawRepresentable<String>>() throws(UsageError) -> Task {
    let tasks = Task.allCases.map(\.rawValue).joined(separator: ", ")
    guard let first else { throw UsageError("missing argument TASK: \(tasks)") }
    guard let task = Task(rawValue: first) else {
      throw UsageError("unknown task \"\(first)\"; use \(tasks)")
    }
    return task
  }
}
