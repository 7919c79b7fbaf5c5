internal import PeerContracts
internal import RPCKit

/// `gatehouse reset-password`: asks for the mail with which a forgotten password is replaced, or uses the
/// code from it.
struct ResetPasswordCommand: Command {
  /// The account's address, or the code.
  let addressOrToken: String

  func run(_ context: CommandContext) async throws {
    if addressOrToken.contains("@") {
      try await request(context)
    } else {
      try await reset(context)
    }
  }

  private func request(_ context: CommandContext) async throws {
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).requestPasswordReset(
        .init(email: addressOrToken),
        timeout: context.callTimeout
      )
    }
    try context.console.line(
      "if the address has an account, a mail is on its way; then: gatehouse reset-password CODE"
    )
  }

  private func reset(_ context: CommandContext) async throws {
    let request = Auth_V1.ResetPasswordRequest(
      token: addressOrToken,
      newPassword: try PasswordSource.new(context)
    )
    // In a session of the account, which then stays the same one even if it has not proven its address.
    let metadata = try await SessionKeeper(context).availableMetadata()
    let answer = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AccountsClient(channel).resetPassword(
        request,
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    let ended = answer.revokedSessions
    let what =
      answer.newAccount ? "a new account has the address and the password" : "the password is set"
    try context.console.line("\(what); ended \(ended) session\(ended == 1 ? "" : "s")")
  }
}
