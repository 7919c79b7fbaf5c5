internal import CommandLineTool

/// `gatehouse completion`: the script of a shell, or the candidates that such a script asks for.
struct CompletionCommand: Command {
  /// Of a program with these commands.
  static func description(
    _ commands: @escaping @Sendable () -> [CommandDescription]
  ) -> CommandDescription {
    CommandDescription(
      name: "completion",
      arguments: "bash|fish|zsh",
      summary: "print a shell completion script",
      details: """
        Prints a script for the shell, which asks this program for the words that fit: commands,
        options, services, methods and types.

          source <(gatehouse completion bash)     in ~/.bashrc
          source <(gatehouse completion zsh)      in ~/.zshrc, after compinit
          gatehouse completion fish | source      in ~/.config/fish/config.fish
        """,
      firstWords: Shell.allCases.map(\.rawValue)
    ) { words throws(UsageError) in
      try CompletionCommand(words, commands())
    }
  }

  private enum Request {
    case script(Shell)
    case candidates([String])
  }

  private let request: Request
  private let commands: [CommandDescription]

  /// Of the words `bash`, `fish` or `zsh`, or `candidates` and those of the command line.
  init(_ words: [String], _ commands: [CommandDescription]) throws(UsageError) {
    self.commands = commands
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
      for candidate in Completer(registry: context.registry, commands: commands).candidates(
        for: words
      ) {
        try context.console.line(candidate)
      }
    }
  }
}
