internal import PeerContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse signup`: makes an account and signs in.
struct SignUpCommand: Command {
  static let description = CommandDescription(
    name: "signup",
    arguments: "EMAIL NAME",
    summary: "create an account and sign in",
    details: """
      Creates an account and signs in. Asks for the password, \
      or takes it from GATEHOUSE_PASSWORD.
      The session is kept in a file that only you can read, and its access token is renewed when
      needed. Another file beside it keeps the device tokens by which AuthService recognises this
      machine, even after you sign out. The session that was kept before is ended.
      """
  ) { words throws(UsageError) in
    try SignUpCommand(try words.checked(["EMAIL", "NAME"]))
  }

  private let email: String
  private let name: String

  /// Of the words EMAIL and NAME.
  init(_ words: [String]) throws(UsageError) {
    email = words[0]
    // The service would refuse it too, and say which pattern it does not match.
    guard email.contains("@") else {
      throw UsageError("EMAIL \"\(email)\" is no e-mail address, like ada@example.com")
    }
    name = words[1]
  }

  func run(_ context: CommandContext) async throws {
    let before = try SignedIn.before(context)
    let request = Auth_V1.SignUpRequest(
      email: email,
      password: try PasswordSource.new(context),
      displayName: name,
      device: .commandLine,
      allowPartialContext: true
    )
    let response = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AuthenticationClient(channel).signUp(request, timeout: context.callTimeout)
    }
    try await SignedIn.keep(response, of: email, replacing: before, context)
  }
}

extension Auth_V1.Device {
  /// How this program appears in the list of sessions.
  static var commandLine: Auth_V1.Device {
    Auth_V1.Device(name: "command line", application: "gatehouse")
  }
}
