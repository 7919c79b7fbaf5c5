/// `gatehouse token`: the session's access token, for scripts and other programs.
struct TokenCommand: Command {
  /// How long the token is good for at least, in milliseconds: enough for a script to use it.
  static let margin: Int64 = 60_000

  func run(_ context: CommandContext) async throws {
    let session = try await SessionKeeper(context).required(margin: Self.margin)
    try context.console.line(session.accessToken)
  }
}
