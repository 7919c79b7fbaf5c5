internal import CommandLineTool

extension Command {
  /// `gatehouse completion`: the script of a shell, or the candidates that such a script asks for.
  static let completion = Command(
    name: "completion",
    arguments: "bash|fish|zsh",
    words: "[WORD]...",
    summary: "print a shell completion script",
    details: """
      Prints a script for the shell, which asks this program for the words that fit: commands,
      options, services, methods and types.

        source <(gatehouse completion bash)     in ~/.bashrc
        source <(gatehouse completion zsh)      in ~/.zshrc, after compinit
        gatehouse completion fish | source      in ~/.config/fish/config.fish
      """,
    firstWords: Shell.allCases.map(\.rawValue)
  ) { context, words in
    let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")
    guard let first = words.first else { throw UsageError("missing argument SHELL; use \(shells)") }
    guard first != "candidates" else {
      let completer = Completer(registry: context.registry, commands: Commands.all)
      let candidates = completer.candidates(for: Array(words.dropFirst()))
      for candidate in candidates { try context.console.line(candidate) }
      return
    }
    guard words.count == 1 else { throw UsageError("unexpected argument \"\(words[1])\"") }
    guard let shell = Shell(rawValue: first) else {
      throw UsageError("unknown shell \"\(first)\"; use \(shells)")
    }
    try context.console.line(shell.script)
  }
}
