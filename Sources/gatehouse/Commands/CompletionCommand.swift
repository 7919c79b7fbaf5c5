/// `gatehouse completion`: the script of a shell, or the candidates that such a script asks for.
struct CompletionCommand: Command {
  private enum Request {
    case script(Shell)
    case candidates([String])
  }

  private let request: Request

  /// Of the words `bash`, `fish` or `zsh`, or `candidates` and those of the command line.
  init(_ words: [String]) throws(UsageError) {
    let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")
    guard let first = words.first else { throw UsageError("missing argument SHELL; use \(shells)") }
    guard first != "candidates" else {
      request = .candidates(Array(words.dropFirst()))
      return
    }
    guard words.count == 1 else { throw UsageError("unexpected argument \"\(words[1])\"") }
    guard let shell = Shell(rawValue: first) else {
      throw UsageError("unknown shell \"\(first)\"; use \(shells)")
    }
    request = .script(shell)
  }

  func run(_ context: CommandContext) async throws {
    switch request {
    case .script(let shell): try context.console.line(shell.script)
    case .candidates(let words):
      for candidate in Completer(registry: context.registry).candidates(for: words) {
        try context.console.line(candidate)
      }
    }
  }
}
