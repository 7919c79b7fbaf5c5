internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection

/// `gatehouse users`: accounts, for operators.
struct UsersCommand: Command {
  static let description = CommandDescription(
    name: "users",
    arguments: "[TEXT]",
    summary: "list or search accounts, for operators",
    details: """
      Lists accounts, newest first: id, e-mail address, display name and whether it is disabled. With
      TEXT, only those whose address, display name, first or last name begins with it; the one with
      exactly this address comes first. Needs the role super_admin and a sign-in of the last five
      minutes, like all commands for operators, and is recorded in AuthService's audit log.
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    UsersCommand(text: try words.checked([], optionalCount: 1).first ?? "")
  }

  /// The beginning of the address or a name; empty for all.
  let text: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let accounts = Accounts(
        client: Auth_V1.OperatorsClient(channel),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
      let json = MessageJSON(context.registry, unset: .all)
      try await accounts.each(text) { account in
        let name = FailureText.printable(account.displayName)
        try context.show(
          [try json.decode(account.protobufBytes, as: Auth_V1.Account.protobufName)],
          table: [
            "\(account.id)  \(FailureText.printable(account.email))  \(name)"
              + (account.state == .disabled ? "  (disabled)" : "")
          ]
        )
      }
    }
  }
}

/// Accounts as AuthService lists them to operators.
struct Accounts: Sendable {
  let client: Auth_V1.OperatorsClient
  let options: CallOptions

  private static let pageSize: UInt32 = 1000

  /// Runs `body` for every account whose address or a name begins with `text`, page by page.
  func each(_ text: String, _ body: (Auth_V1.Account) async throws -> Void) async throws {
    var page = ""
    repeat {
      let answer = try await client.listUsers(
        .init(text: text, pageSize: Self.pageSize, pageToken: page),
        options: options
      )
      for account in answer.users { try await body(account) }
      page = answer.nextPageToken
    } while !page.isEmpty
  }
}
