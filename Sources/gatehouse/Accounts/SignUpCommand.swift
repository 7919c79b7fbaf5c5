internal import PeerContracts
internal import CommandLineTool
internal import RPCKit

extension Command {
  /// `gatehouse signup`: makes an account and signs in.
  static let signUp = Command(
    name: "signup",
    arguments: "EMAIL NAME",
    summary: "create an account and sign in",
    details: "Creates an account and signs in. \(SignedIn.help)"
  ) { context, words in
    let email = words[0]
    // The service would refuse it too, and say which pattern it does not match.
    guard email.contains("@") else {
      throw UsageError("EMAIL \"\(email)\" is no e-mail address, like ada@example.com")
    }
    let before = try SignedIn.before(context)
    let request = Auth_V1.SignUpRequest(
      email: email,
      password: try PasswordSource.new(context),
      displayName: words[1],
      device: .commandLine,
      allowPartialContext: true
    )
    let response = try await context.anonymous(to: "auth") { channel, options in
      try await Auth_V1.AuthenticationClient(channel).signUp(request, options: options)
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
