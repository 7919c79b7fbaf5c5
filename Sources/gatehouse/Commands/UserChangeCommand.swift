internal import PeerContracts
internal import AuthContracts
internal import RPCKit

/// `gatehouse disable-user`, `enable-user` and `force-reset`: what operators do to an account, with a reason.
struct UserChangeCommand: Command {
  /// The change.
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
