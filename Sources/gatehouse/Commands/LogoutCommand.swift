internal import Contracts
internal import RPCKit

/// `gatehouse logout`: ends the session at AuthService, then forgets it.
struct LogoutCommand: Command {
  func run(_ context: CommandContext) async throws {
    let keeper = SessionKeeper(context)
    do {
      let metadata = try await keeper.requiredMetadata()
      _ = try await context.withChannel(to: "auth") { channel in
        try await Auth_V1.AuthenticationClient(channel).signOut(
          Auth_V1.SignOutRequest(),
          timeout: context.callTimeout,
          options: CallOptions(metadata: metadata)
        )
      }
    } catch let failure as CallFailure where failure.error.code == .unauthenticated {
      // The session is over already, which is what was wanted.
    }
    try keeper.file.remove()
    try context.console.line("signed out")
  }
}
