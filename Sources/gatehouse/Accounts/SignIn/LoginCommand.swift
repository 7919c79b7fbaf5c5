internal import PeerContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse login`: signs in with a password, and with a code if the account has a second factor.
struct LoginCommand: Command {
  static let description = CommandDescription(
    name: "login",
    arguments: "EMAIL",
    summary: "sign in",
    details: """
      Signs in. Asks for the password, \
      or takes it from GATEHOUSE_PASSWORD.
      The session is kept in a file that only you can read, and its access token is renewed when
      needed. Another file beside it keeps the device tokens by which AuthService recognises this
      machine, even after you sign out. The session that was kept before is ended.
      """
  ) { words throws(UsageError) in
    LoginCommand(email: try words.checked(["EMAIL"])[0])
  }

  /// The account's address.
  let email: String

  func run(_ context: CommandContext) async throws {
    let before = try SignedIn.before(context)
    let request = Auth_V1.SignInRequest(
      email: email,
      password: try PasswordSource.existing(context),
      device: .commandLine,
      allowPartialContext: true,
      deviceToken: KnownDevicesFile(context).token(of: email)
    )
    let first = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AuthenticationClient(channel).signIn(request, timeout: context.callTimeout)
    }
    let response = try await SecondFactorSource.complete(first, context)
    try await SignedIn.keep(response, of: email, replacing: before, context)
  }
}
