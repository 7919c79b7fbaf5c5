internal import PeerContracts
internal import RPCKit

extension Command {
  /// `gatehouse reset-password`: asks for the mail with which a forgotten password is replaced, or uses the
  /// code from it.
  static let resetPassword = Command(
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
  ) { context, words in
    if words[0].contains("@") {
      try await request(words[0], context)
    } else {
      try await reset(words[0], context)
    }
  }

  private static func request(_ email: String, _ context: CommandContext) async throws {
    try await context.anonymous(to: "auth") { channel, options in
      _ = try await Auth_V1.AccountsClient(channel).requestPasswordReset(
        .init(email: email),
        options: options
      )
    }
    try context.console.line(
      "if the address has an account, a mail is on its way; then: gatehouse reset-password CODE"
    )
  }

  private static func reset(_ token: String, _ context: CommandContext) async throws {
    let request = Auth_V1.ResetPasswordRequest(
      token: token,
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
    let what =
      answer.newAccount ? "a new account has the address and the password" : "the password is set"
    try context.console.line(
      "\(what); ended \(CountText.text(answer.revokedSessions, "session"))"
    )
  }
}
