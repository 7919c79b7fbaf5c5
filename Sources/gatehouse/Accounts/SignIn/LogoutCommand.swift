internal import CommandLineTool
internal import RPCKit

/// `gatehouse logout`: ends the session at AuthService, then forgets it.
struct LogoutCommand: Command {
  static let description = CommandDescription(
    name: "logout",
    summary: "end the session",
    details: "Ends the session at AuthService and deletes its file."
  ) { words throws(UsageError) in
    try words.checked([])
    return LogoutCommand()
  }

  func run(_ context: CommandContext) async throws {
    let keeper = SessionKeeper(context)
    do {
      try await keeper.signOut(try await keeper.required())
    } catch let failure as CallFailure where failure.error.code == .unauthenticated {
      // The session is over already, which is what was wanted.
    }
    try keeper.file.remove()
    try context.console.line("signed out")
  }
}
