internal import PeerContracts
internal import RPCKit

extension Command {
  /// `gatehouse whoami`: the signed-in user as AuthService has it now.
  static let whoAmI = Command(
    name: "whoami",
    summary: "show the signed-in user",
    details: "Shows the signed-in user with current roles and plan.",
    formats: OutputFormat.allCases
  ) { context, _ in
    let user = try await context.signedIn(to: "auth") { channel, options in
      try await Auth_V1.UsersClient(channel).getMe(
        .init(allowPartialContext: true),
        options: options
      )
    }
    try context.show(try context.json(user), unlessAsked: .json)
  }
}
