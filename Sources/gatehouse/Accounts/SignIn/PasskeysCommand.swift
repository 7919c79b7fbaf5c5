internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

extension Command {
  /// `gatehouse passkeys`: those of the signed-in user.
  static let passkeys = Command(
    name: "passkeys",
    summary: "list the account's passkeys",
    details: """
      Lists the passkeys of the signed-in user, oldest first: id, when it was last used, and name. Browsers
      and phones register them; a terminal cannot.
      """,
    formats: OutputFormat.allCases
  ) { context, _ in
    let passkeys = try await context.signedIn(to: "auth") { channel, options in
      try await Auth_V1.PasskeysClient(channel).list(.init(), options: options).passkeys
    }
    for passkey in passkeys {
      let name = FailureText.printable(passkey.name)
      let used =
        passkey.lastUsedAt.map { "used \(InstantText.text($0.milliseconds))" } ?? "never used"
      let note = passkey.copySuspectedAt == nil ? "" : "  may have been copied"
      try context.show(
        [try context.json(passkey)],
        table: ["\(passkey.id)  \(used)  \(name)\(note)"]
      )
    }
  }

  /// `gatehouse remove-passkey`: removes one from the account.
  static let removePasskey = Command(
    name: "remove-passkey",
    arguments: "PASSKEY",
    summary: "remove a passkey from the account",
    details: """
      Removes a passkey. You must have signed in within the last five minutes: gatehouse login EMAIL.

        gatehouse remove-passkey pky_06f3k2x9s8v7m1c5b4n0q8w6e2
      """
  ) { context, words in
    let wasRemoved = try await context.signedIn(to: "auth") { channel, options in
      try await Auth_V1.PasskeysClient(channel).remove(
        .init(passkeyId: words[0]),
        options: options
      ).wasRemoved
    }
    try context.console.line(
      wasRemoved ? "the passkey is removed" : "the account has no such passkey"
    )
  }
}
