internal import Contracts
internal import RPCKit

/// `gatehouse signup`: makes an account and signs in.
struct SignUpCommand: Command {
  private let email: String
  private let name: String

  /// Of the words EMAIL and NAME.
  init(_ words: [String]) {
    email = words[0]
    name = words[1]
  }

  func run(_ context: CommandContext) async throws {
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
    try SignedIn.keep(response, of: email, context)
  }
}

/// What follows a sign-in of either kind.
enum SignedIn {
  /// Keeps the session and the device token of `email`, and says whose the session is.
  static func keep(
    _ response: Auth_V1.SignInResponse,
    of email: String,
    _ context: CommandContext
  ) throws {
    let session = Session(response, authTarget: context.options.targets["auth"] ?? "")
    try SessionFile(path: context.options.sessionPath).write(session)
    KnownDevicesFile(context).keep(response.deviceToken, of: email)
    try context.console.line("signed in as \(session.email) (\(session.userID))")
  }
}

extension Auth_V1.Device {
  /// How this program appears in the list of sessions.
  static var commandLine: Auth_V1.Device {
    Auth_V1.Device(name: "command line", application: "gatehouse")
  }
}
