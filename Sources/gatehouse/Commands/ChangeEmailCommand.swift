internal import PeerContracts
internal import RPCKit

/// `gatehouse change-email`: asks for the mail that confirms another address.
struct ChangeEmailCommand: Command {
  /// The new address.
  let email: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let request = Auth_V1.ChangeEmailRequest(
      currentPassword: try PasswordSource.existing(context),
      newEmail: email
    )
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).changeEmail(
        request,
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line("a mail is on its way to \(email); then: gatehouse confirm-email CODE")
  }
}

/// `gatehouse confirm-email`: uses the code that the new address was sent.
struct ConfirmEmailCommand: Command {
  /// The code.
  let token: String

  func run(_ context: CommandContext) async throws {
    try await MailedLink.use(context) { channel, password, options in
      _ = try await Auth_V1.AccountsClient(channel).confirmEmailChange(
        .init(token: token, password: password),
        options: options
      )
    }
    try context.console.line("the account has the new address")
  }
}

/// `gatehouse undo-email-change`: uses the code that the old address was sent.
struct UndoEmailChangeCommand: Command {
  /// The code.
  let token: String

  func run(_ context: CommandContext) async throws {
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).undoEmailChange(
        .init(token: token),
        timeout: context.callTimeout
      )
    }
    try context.console.line(
      "the account has its old address again; a mail with which to set a new password is on its way"
    )
  }
}
