internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse passkeys`: those of the signed-in user.
struct PasskeysCommand: Command {
  static let description = CommandDescription(
    name: "passkeys",
    summary: "list the account's passkeys",
    details: """
      Lists the passkeys of the signed-in user, oldest first: id, when it was last used, and name. Browsers
      and phones register them; a terminal cannot.
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    try words.checked([])
    return PasskeysCommand()
  }

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let passkeys = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.PasskeysClient(channel).list(
        .init(),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      ).passkeys
    }
    let json = MessageJSON(context.registry, unset: .all)
    for passkey in passkeys {
      let name = FailureText.printable(passkey.name)
      let used =
        passkey.lastUsedAt.map { "used \(InstantText.text($0.milliseconds))" } ?? "never used"
      let note = passkey.copySuspectedAt == nil ? "" : "  may have been copied"
      try context.show(
        [try json.decode(passkey.protobufBytes, as: Auth_V1.Passkey.protobufName)],
        table: ["\(passkey.id)  \(used)  \(name)\(note)"]
      )
    }
  }
}

/// `gatehouse remove-passkey`: removes one from the account.
struct RemovePasskeyCommand: Command {
  static let description = CommandDescription(
    name: "remove-passkey",
    arguments: "PASSKEY",
    summary: "remove a passkey from the account",
    details: """
      Removes a passkey. You must have signed in within the last five minutes: gatehouse login EMAIL.

        gatehouse remove-passkey pky_06f3k2x9s8v7m1c5b4n0q8w6e2
      """
  ) { words throws(UsageError) in
    RemovePasskeyCommand(id: try words.checked(["PASSKEY"])[0])
  }

  /// Its identifier.
  let id: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let wasRemoved = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.PasskeysClient(channel).remove(
        .init(passkeyId: id),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      ).wasRemoved
    }
    try context.console.line(
      wasRemoved ? "the passkey is removed" : "the account has no such passkey"
    )
  }
}
