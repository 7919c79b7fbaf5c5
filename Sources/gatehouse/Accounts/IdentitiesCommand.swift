internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection

/// `gatehouse identities`: the identities that sign in to the account.
struct IdentitiesCommand: Command {
  static let description = CommandDescription(
    name: "identities",
    summary: "list the identities that sign in to the account, such as Apple's",
    details: """
      Lists the identities at other providers that can sign in to the account: identifier, provider and
      the address that the provider named last.
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    try words.checked([])
    return IdentitiesCommand()
  }

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let list = try await Auth_V1.IdentitiesClient(channel).list(
        .init(),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
      let json = MessageJSON(context.registry, unset: .all)
      for identity in list.identities {
        let email = FailureText.printable(identity.email)
        try context.show(
          [try json.decode(identity.protobufBytes, as: Auth_V1.LinkedIdentity.protobufName)],
          table: ["\(identity.id)  \(FailureText.printable(identity.provider))  \(email)"]
        )
      }
    }
  }
}

/// `gatehouse unlink-identity`: stops an identity from signing in to the account.
struct UnlinkIdentityCommand: Command {
  static let description = CommandDescription(
    name: "unlink-identity",
    arguments: "IDENTITY",
    summary: "stop an identity from signing in to the account",
    details: """
      Unlinks the IDENTITY, an identifier that gatehouse identities prints, and ends the account's other
      sessions. You must have signed in within the last five minutes. The last way to sign in to an
      account cannot be unlinked.
      """
  ) { words throws(UsageError) in
    UnlinkIdentityCommand(id: try words.checked(["IDENTITY"])[0])
  }

  /// Its identifier.
  let id: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.IdentitiesClient(channel).unlink(
        .init(identityId: id),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line("\(id) no longer signs in to the account")
  }
}
