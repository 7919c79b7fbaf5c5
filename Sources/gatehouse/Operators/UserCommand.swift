internal import AuthContracts
internal import PeerContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse user`: an account, where it is signed in and what was recorded about it, for operators.
struct UserCommand: Command {
  static let description = CommandDescription(
    name: "user",
    arguments: "USER|EMAIL",
    summary: "show an account, its sessions and what the audit log has about it, for operators",
    details: """
      Shows the account with this id or e-mail address, where it is signed in, and the newest 20 records
      of AuthService's audit log about it.

        gatehouse user ada@example.com
        gatehouse call Operators/ListUserAudit '{"userId": "usr_…", "pageSize": 1000}'
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    UserCommand(user: try words.checked(["USER or EMAIL"])[0])
  }

  /// The user's identifier or address.
  let user: String

  /// Audit records that are shown.
  private static let recordCount: UInt32 = 20

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let accounts = Accounts(
        client: Auth_V1.OperatorsClient(channel),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
      let (client, options) = (accounts.client, accounts.options)
      let id = try await accounts.id(of: user)
      let account = try await client.getUser(.init(userId: id), options: options)
      let sessions = try await client.listUserSessions(.init(userId: id), options: options).sessions
      let records = try await client.listUserAudit(
        .init(userId: id, pageSize: Self.recordCount),
        options: options
      ).entries
      let json = MessageJSON(context.registry, unset: .all)
      let value: JSONValue = [
        "account": try json.decode(account.protobufBytes, as: Auth_V1.Account.protobufName),
        "sessions": .array(
          try sessions.map { try json.decode($0.protobufBytes, as: Auth_V1.Session.protobufName) }
        ),
        "audit": .array(
          try records.map {
            try json.decode($0.protobufBytes, as: Audit_V1.AuditEntry.protobufName)
          }
        ),
      ]
      try context.show(value, unlessAsked: .table)
    }
  }
}
