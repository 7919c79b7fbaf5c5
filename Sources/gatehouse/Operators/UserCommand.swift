internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension Command {
  /// `gatehouse user`: an account, where it is signed in and what was recorded about it, for operators.
  static let user = Command(
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
  ) { context, words in
    try await Accounts.with(words[0], context) { accounts, id in
      let (client, options) = (accounts.client, accounts.options)
      let account = try await client.getUser(.init(userId: id), options: options)
      let sessions = try await client.listUserSessions(.init(userId: id), options: options).sessions
      // The newest records; `Operators/ListUserAudit` has all of them.
      let records = try await client.listUserAudit(
        .init(userId: id, pageSize: 20),
        options: options
      ).entries
      let value: JSONValue = [
        "account": try context.json(account),
        "sessions": .array(try sessions.map(context.json)),
        "audit": .array(try records.map(context.json)),
      ]
      try context.show(value, unlessAsked: .table)
    }
  }
}
