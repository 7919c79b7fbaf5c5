internal import PeerContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse change-email`: asks for the mail that confirms another address.
struct ChangeEmailCommand: Command {
  static let description = CommandDescription(
    name: "change-email",
    arguments: "EMAIL",
    summary: "move the account to another e-mail address",
    details: """
      Asks for a mail to the new address. Nothing changes until it is confirmed with
      gatehouse confirm-email CODE. Asks for the password, or takes it from GATEHOUSE_PASSWORD.
      """
  ) { words throws(UsageError) in
    ChangeEmailCommand(email: try words.checked(["EMAIL"])[0])
  }

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
  static let description = CommandDescription(
    name: "confirm-email",
    arguments: "CODE",
    summary: "confirm the new address with the code from the mail",
    details: """
      Gives the account the address that this CODE was sent to, and ends its other sessions. Unless you are
      signed in to the account, its password is asked for, or taken from GATEHOUSE_PASSWORD. An old address
      that was verified gets a mail with which to undo the change for seven days. The code works once, for an hour.
      """
  ) { words throws(UsageError) in
    ConfirmEmailCommand(token: try words.checked(["CODE"])[0])
  }

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
  static let description = CommandDescription(
    name: "undo-email-change",
    arguments: "CODE",
    summary: "take a change of address back",
    details: """
      Gives the account the address back that this CODE was sent to, ends all its sessions, makes its
      password invalid and sends a mail with which to set a new one.
      """
  ) { words throws(UsageError) in
    UndoEmailChangeCommand(token: try words.checked(["CODE"])[0])
  }

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
