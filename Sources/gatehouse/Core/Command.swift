internal import CommandLineTool

/// One command with its arguments.
protocol Command: Sendable {
  /// Does it; throws what the program reports.
  func run(_ context: CommandContext) async throws
}

/// The name of a command, its arguments, and its help.
struct CommandDescription: Sendable {
  /// Its name.
  let name: String
  /// The arguments, as help shows them.
  var arguments = ""
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
  /// The command of the words after its name.
  let command: @Sendable ([String]) throws(UsageError) -> any Command

  /// Refuses options that mean nothing to the command, rather than to overlook them.
  func check(
    _ given: CommandLineOptions,
    among commands: [CommandDescription]
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
  }
}

extension [String] {
  /// The words, if there is one for each name, and at most `optionalCount` more.
  @discardableResult
  func checked(_ names: [String], optionalCount: Int = 0) throws(UsageError) -> [String] {
    guard count >= names.count else { throw UsageError("missing argument \(names[count])") }
    let most = names.count + optionalCount
    guard count <= most else { throw UsageError("unexpected argument \"\(self[most])\"") }
    return self
  }

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
