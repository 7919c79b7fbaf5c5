internal import CommandLineTool

/// `gatehouse token`: the session's access token, for scripts and other programs.
struct TokenCommand: Command {
  static let description = CommandDescription(
    name: "token",
    summary: "print a fresh access token, for scripts",
    details: """
      Prints the session's access token, which is valid for a minute or more. Anybody who has it can act as
      you until it expires, so keep it out of files and command lines.

        TOKEN=$(gatehouse token) ./my-client
      """
  ) { words throws(UsageError) in
    try words.checked([])
    return TokenCommand()
  }

  /// How long the token is good for at least, in milliseconds: enough for a script to use it.
  static let margin: Int64 = 60_000

  func run(_ context: CommandContext) async throws {
    let session = try await SessionKeeper(context).required(margin: Self.margin)
    try context.console.line(session.accessToken)
  }
}
