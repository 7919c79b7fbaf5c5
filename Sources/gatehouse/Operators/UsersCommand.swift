internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse users`: accounts, for operators.
  static let users = Command(
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
  ) { context, words in
    try await Accounts.with(context) { accounts in
      try await accounts.each(words.first ?? "") { account in
        let name = FailureText.printable(account.displayName)
        try context.show(
          [try context.json(account)],
          table: [
            "\(account.id)  \(FailureText.printable(account.email))  \(name)"
              + (account.state == .disabled ? "  (disabled)" : "")
          ]
        )
      }
    }
  }
}
