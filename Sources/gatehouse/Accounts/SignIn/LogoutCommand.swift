internal import RPCKit

extension Command {
  /// `gatehouse logout`: ends the session at AuthService, then forgets it.
  static let logout = Command(
    name: "logout",
    summary: "end the session",
    details: "Ends the session at AuthService and deletes its file."
  ) { context, _ in
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
