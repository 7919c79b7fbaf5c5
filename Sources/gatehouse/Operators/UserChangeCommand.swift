internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse disable-user`, `enable-user` and `force-reset`: what operators do to an account, with a reason.
struct UserChangeCommand: Command {
  static let disable = CommandDescription(
    name: "disable-user",
    arguments: "USER|EMAIL REASON",
    summary: "keep everybody from signing in to an account, for operators",
    details: """
      Ends all sessions of the user, and refuses everybody who signs in to the account, in whatever way,
      as if the password were wrong, until it is enabled. REASON is for operators and the audit log.
      Roles stay: to have checks refused that services make about the user, suspend it too.

        gatehouse disable-user ada@example.com "asked by the police, ticket 4711"
      """
  ) { words throws(UsageError) in
    UserChangeCommand(.disable, try words.checked(["USER or EMAIL", "REASON"]))
  }

  static let enable = CommandDescription(
    name: "enable-user",
    arguments: "USER|EMAIL REASON",
    summary: "let an account be signed in to again, for operators",
    details: "Lets a disabled account be signed in to again. REASON is for the audit log."
  ) { words throws(UsageError) in
    UserChangeCommand(.enable, try words.checked(["USER or EMAIL", "REASON"]))
  }

  static let forceReset = CommandDescription(
    name: "force-reset",
    arguments: "USER|EMAIL REASON",
    summary: "make a user set a new password, for operators",
    details: """
      Makes the user's password invalid, ends all its sessions and sends a mail with which to set a new
      one. REASON is for the audit log.

        gatehouse force-reset ada@example.com "the password was in a leak"
      """
  ) { words throws(UsageError) in
    UserChangeCommand(.forceReset, try words.checked(["USER or EMAIL", "REASON"]))
  }

  /// The task.
  enum Change: Sendable {
    case disable, enable, forceReset
  }

  private let change: Change
  /// The user's identifier or address.
  private let user: String
  private let reason: String

  /// Takes the user and the reason from `words`.
  init(_ change: Change, _ words: [String]) {
    self.change = change
    (user, reason) = (words[0], words[1])
  }

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let accounts = Accounts(
        client: Auth_V1.OperatorsClient(channel),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
      let (client, options) = (accounts.client, accounts.options)
      let id = try await accounts.id(of: user)
      switch change {
      case .disable:
        _ = try await client.disableUser(.init(userId: id, reason: reason), options: options)
        try context.console.line("\(id) is disabled; its sessions have ended")
      case .enable:
        _ = try await client.enableUser(.init(userId: id, reason: reason), options: options)
        try context.console.line("\(id) can be signed in to again")
      case .forceReset:
        let ended = try await client.forcePasswordReset(
          .init(userId: id, reason: reason),
          options: options
        ).revoked
        try context.console.line(
          "\(id) has to set a new password, and a mail is on its way; ended \(ended) session"
            + (ended == 1 ? "" : "s")
        )
      }
    }
  }
}
