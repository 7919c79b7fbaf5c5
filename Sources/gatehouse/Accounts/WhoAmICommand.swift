internal import PeerContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse whoami`: the signed-in user as AuthService has it now.
struct WhoAmICommand: Command {
  static let description = CommandDescription(
    name: "whoami",
    summary: "show the signed-in user",
    details: "Shows the signed-in user with current roles and plan.",
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    try words.checked([])
    return WhoAmICommand()
  }

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let user = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.UsersClient(channel).getMe(
        Auth_V1.GetMeRequest(allowPartialContext: true),
        timeout: context.callTimeout,
        options: CallOptions(metadata: metadata)
      )
    }
    let json = MessageJSON(context.registry, unset: .all)
    let value = try json.decode(user.protobufBytes, as: Auth_V1.User.protobufName)
    try context.show(value, unlessAsked: .json)
  }
}
