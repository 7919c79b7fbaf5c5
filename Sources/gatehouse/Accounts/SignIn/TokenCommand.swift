extension Command {
  /// `gatehouse token`: the session's access token, for scripts and other programs.
  static let token = Command(
    name: "token",
    summary: "print a fresh access token, for scripts",
    details: """
      Prints the session's access token, which is valid for a minute or more. Anybody who has it can act as
      you until it expires, so keep it out of files and command lines.

        TOKEN=$(gatehouse token) ./my-client
      """
  ) { context, _ in
    // Enough for a script to use it.
    let session = try await SessionKeeper(context).required(margin: 60_000)
    try context.console.line(session.accessToken)
  }
}
