internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse identities`: the identities that sign in to the account.
  static let identities = Command(
    name: "identities",
    summary: "list the identities that sign in to the account, such as Apple's",
    details: """
      Lists the identities at other providers that can sign in to the account: identifier, provider and
      the address that the provider named last.
      """,
    formats: OutputFormat.allCases
  ) { context, _ in
    try await context.signedIn(to: "auth") { channel, options in
      let list = try await Auth_V1.IdentitiesClient(channel).list(.init(), options: options)
      for identity in list.identities {
        let email = FailureText.printable(identity.email)
        try context.show(
          [try context.json(identity)],
          table: ["\(identity.id)  \(FailureText.printable(identity.provider))  \(email)"]
        )
      }
    }
  }

  /// `gatehouse unlink-identity`: stops an identity from signing in to the account.
  static let unlinkIdentity = Command(
    name: "unlink-identity",
    arguments: "IDENTITY",
    summary: "stop an identity from signing in to the account",
    details: """
      Unlinks the IDENTITY, an identifier that gatehouse identities prints, and ends the account's other
      sessions. You must have signed in within the last five minutes. The last way to sign in to an
      account cannot be unlinked.
      """
  ) { context, words in
    try await context.signedIn(to: "auth") { channel, options in
      _ = try await Auth_V1.IdentitiesClient(channel).unlink(
        .init(identityId: words[0]),
        options: options
      )
    }
    try context.console.line("\(words[0]) no longer signs in to the account")
  }
}
