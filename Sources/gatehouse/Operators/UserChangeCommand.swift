internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse disable-user`: keeps everybody from signing in to an account.
  static let disableUser = Command(
    name: "disable-user",
    arguments: "USER|EMAIL REASON",
    summary: "keep everybody from signing in to an account, for operators",
    details: """
      Ends all sessions of the user, and refuses everybody who signs in to the account, in whatever way,
      as if the password were wrong, until it is enabled. REASON is for operators and the audit log.
      Roles stay: to have checks refused that services make about the user, suspend it too.

        gatehouse disable-user ada@example.com "asked by the police, ticket 4711"
      """
  ) { context, words in
    try await Accounts.with(words[0], context) { accounts, id in
      _ = try await accounts.client.disableUser(
        .init(userId: id, reason: words[1]),
        options: accounts.options
      )
      try context.console.line("\(id) is disabled; its sessions have ended")
    }
  }

  /// `gatehouse enable-user`: takes that back.
  static let enableUser = Command(
    name: "enable-user",
    arguments: "USER|EMAIL REASON",
    summary: "let an account be signed in to again, for operators",
    details: "Lets a disabled account be signed in to again. REASON is for the audit log."
  ) { context, words in
    try await Accounts.with(words[0], context) { accounts, id in
      _ = try await accounts.client.enableUser(
        .init(userId: id, reason: words[1]),
        options: accounts.options
      )
      try context.console.line("\(id) can be signed in to again")
    }
  }

  /// `gatehouse force-reset`: makes a user set a new password.
  static let forceReset = Command(
    name: "force-reset",
    arguments: "USER|EMAIL REASON",
    summary: "make a user set a new password, for operators",
    details: """
      Makes the user's password invalid, ends all its sessions and sends a mail with which to set a new
      one. REASON is for the audit log.

        gatehouse force-reset ada@example.com "the password was in a leak"
      """
  ) { context, words in
    try await Accounts.with(words[0], context) { accounts, id in
      let ended = try await accounts.client.forcePasswordReset(
        .init(userId: id, reason: words[1]),
        options: accounts.options
      ).revoked
      try context.console.line(
        "\(id) has to set a new password, and a mail is on its way; ended "
          + CountText.text(ended, "session")
      )
    }
  }
}
