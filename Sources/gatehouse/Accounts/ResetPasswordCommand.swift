internal import PeerContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse reset-password`: asks for the mail with which a forgotten password is replaced, or uses the
/// code from it.
struct ResetPasswordCommand: Command {
  static let description = CommandDescription(
    name: "reset-password",
    arguments: "EMAIL|CODE",
    summary: "replace a forgotten password",
    details: """
      Asks for a mail to the account with this address, if there is one; with the CODE from that mail,
      sets a new password and ends all sessions. Asks for the password, or takes it from
      GATEHOUSE_PASSWORD. The code works once, for 30 minutes. If the account has not verified the
      address, a new, empty account gets address and password, unless you are signed in to the old one.

        gatehouse reset-password ada@example.com
        gatehouse reset-password CODE
      """
  ) { words throws(UsageError) in
    ResetPasswordCommand(addressOrToken: try words.checked(["EMAIL or CODE"])[0])
  }

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
