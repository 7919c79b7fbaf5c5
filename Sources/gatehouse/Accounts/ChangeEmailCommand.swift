internal import PeerContracts
internal import RPCKit

extension Command {
  /// `gatehouse change-email`: asks for the mail that confirms another address.
  static let changeEmail = Command(
    name: "change-email",
    arguments: "EMAIL",
    summary: "move the account to another e-mail address",
    details: """
      Asks for a mail to the new address. Nothing changes until it is confirmed with
      gatehouse confirm-email CODE. Asks for the password, or takes it from GATEHOUSE_PASSWORD.
      """
  ) { context, words in
    let options = try await context.signedIn()
    let request = Auth_V1.ChangeEmailRequest(
      currentPassword: try PasswordSource.existing(context),
      newEmail: words[0]
    )
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).changeEmail(request, options: options)
    }
    try context.console.line(
      "a mail is on its way to \(words[0]); then: gatehouse confirm-email CODE"
    )
  }

  /// `gatehouse confirm-email`: uses the code that the new address was sent.
  static let confirmEmail = Command(
    name: "confirm-email",
    arguments: "CODE",
    summary: "confirm the new address with the code from the mail",
    details: """
      Gives the account the address that this CODE was sent to, and ends its other sessions. Unless you are
      signed in to the account, its password is asked for, or taken from GATEHOUSE_PASSWORD. An old address
      that was verified gets a mail with which to undo the change for seven days. The code works once, for an hour.
      """
  ) { context, words in
    try await MailedLink.use(context) { channel, password, options in
      _ = try await Auth_V1.AccountsClient(channel).confirmEmailChange(
        .init(token: words[0], password: password),
        options: options
      )
    }
    try context.console.line("the account has the new address")
  }

  /// `gatehouse undo-email-change`: uses the code that the old address was sent.
  static let undoEmailChange = Command(
    name: "undo-email-change",
    arguments: "CODE",
    summary: "take a change of address back",
    details: """
      Gives the account the address back that this CODE was sent to, ends all its sessions, makes its
      password invalid and sends a mail with which to set a new one.
      """
  ) { context, words in
    try await context.anonymous(to: "auth") { channel, options in
      _ = try await Auth_V1.AccountsClient(channel).undoEmailChange(
        .init(token: words[0]),
        options: options
      )
    }
    try context.console.line(
      "the account has its old address again; a mail with which to set a new password is on its way"
    )
  }
}
