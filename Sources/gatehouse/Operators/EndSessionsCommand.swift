internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse end-sessions`: signs a user out everywhere, for operators.
struct EndSessionsCommand: Command {
  static let description = CommandDescription(
    name: "end-sessions",
    arguments: "USER|EMAIL",
    summary: "sign a user out everywhere, for operators",
    details: """
      Ends all sessions of the user with this id or e-mail address. All services refuse the tokens
      within a second. The user can sign in again; disable-user keeps it out. Needs the role super_admin.

        gatehouse end-sessions ada@example.com
      """
  ) { words throws(UsageError) in
    EndSessionsCommand(user: try words.checked(["USER or EMAIL"])[0])
  }

  /// The user's identifier or address.
  let user: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let accounts = Accounts(
        client: Auth_V1.OperatorsClient(channel),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
      let id = try await accounts.id(of: user)
      let ended = try await accounts.client.endSessions(
        .init(userId: id),
        options: accounts.options
      ).revoked
      try context.console.line("ended \(ended) session\(ended == 1 ? "" : "s") of \(id)")
    }
  }
}

/// No account has the address that a command names: found out by a call, so the command has failed.
struct AccountNotFound: Error, CustomStringConvertible {
  let email: String

  var description: String { "account not found: \(email)" }
}

extension Accounts {
  /// The user with this identifier or address.
  func id(of user: String) async throws -> String {
    user.contains("@") ? try await id(ofEmail: user) : user
  }

  /// The user with exactly this address, without regard to ASCII case.
  func id(ofEmail email: String) async throws -> String {
    // It comes first, before those whose addresses only begin with it.
    let first = try await client.listUsers(.init(text: email, pageSize: 1), options: options)
    guard let account = first.users.first, Self.key(account.email) == Self.key(email) else {
      throw AccountNotFound(email: email)
    }
    return account.id
  }

  private static func key(_ email: String) -> [UInt8] {
    email.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
