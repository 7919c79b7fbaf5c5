internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse end-sessions`: signs a user out everywhere, for operators.
  static let endSessions = Command(
    name: "end-sessions",
    arguments: "USER|EMAIL",
    summary: "sign a user out everywhere, for operators",
    details: """
      Ends all sessions of the user with this id or e-mail address. All services refuse the tokens
      within a second. The user can sign in again; disable-user keeps it out. Needs the role super_admin.

        gatehouse end-sessions ada@example.com
      """
  ) { context, words in
    try await Accounts.with(words[0], context) { accounts, id in
      let ended = try await accounts.client.endSessions(
        .init(userId: id),
        options: accounts.options
      ).revoked
      try context.console.line("ended \(CountText.text(ended, "session")) of \(id)")
    }
  }
}
