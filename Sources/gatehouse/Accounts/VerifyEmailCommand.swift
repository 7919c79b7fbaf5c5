internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension Command {
  /// `gatehouse verify-email`: asks for the mail that verifies the address, or uses the code from it.
  static let verifyEmail = Command(
    name: "verify-email",
    arguments: "[CODE]",
    summary: "prove that the account's e-mail address is yours",
    details: """
      Asks for a mail that verifies the signed-in user's address; with the CODE from that mail,
      verifies it. Signed in to the account, that signs it out everywhere else; otherwise the account's
      password is asked for, or taken from GATEHOUSE_PASSWORD. The code works once, for 24 hours.
      """
  ) { context, words in
    guard let token = words.first else { return try await requestVerification(context) }
    try await MailedLink.use(context) { channel, password, options in
      _ = try await Auth_V1.AccountsClient(channel).verifyEmail(
        .init(token: token, password: password),
        options: options
      )
    }
    try context.console.line("the address is verified")
  }

  private static func requestVerification(_ context: CommandContext) async throws {
    try await context.signedIn(to: "auth") { channel, options in
      _ = try await Auth_V1.AccountsClient(channel).requestEmailVerification(
        .init(),
        options: options
      )
    }
    try context.console.line(
      "a mail is on its way, unless the address is verified already; then: "
        + "gatehouse verify-email CODE"
    )
  }

  /// `gatehouse disown-email`: says that an account is not of the person who reads the mail of its address.
  static let disownEmail = Command(
    name: "disown-email",
    arguments: "CODE",
    summary: "say that an account with your e-mail address is not yours",
    details: """
      With the CODE of a mail that verifies an address: takes the address off an account that you did not
      make. It is free to sign up with then, and the account keeps everything else.
      """
  ) { context, words in
    try await context.anonymous(to: "auth") { channel, options in
      _ = try await Auth_V1.AccountsClient(channel).disownEmail(
        .init(token: words[0]),
        options: options
      )
    }
    try context.console.line("the account no longer has the address, which is free to sign up with")
  }
}

/// Codes from mails that prove nothing by themselves.
enum MailedLink {
  /// Makes a call with a code in the session of the account; if there is none, again with the password, once
  /// AuthService has asked for it.
  static func use(
    _ context: CommandContext,
    _ call: @escaping @Sendable (Channel, _ password: String, CallOptions) async throws -> Void
  ) async throws {
    let metadata = try await SessionKeeper(context).availableMetadata()
    let options = CallOptions(timeout: context.callTimeout, metadata: metadata)
    do {
      try await context.withChannel(to: "auth") { channel in try await call(channel, "", options) }
    } catch let failure as CallFailure where failure.error.reason == "ACCOUNT_PROOF_REQUIRED" {
      let password = try PasswordSource.existing(context)
      try await context.withChannel(to: "auth") { channel in
        try await call(channel, password, options)
      }
    }
  }
}
