internal import PeerContracts
internal import RPCKit

extension Command {
  /// `gatehouse login`: signs in with a password, and with a code if the account has a second factor.
  static let login = Command(
    name: "login",
    arguments: "EMAIL",
    summary: "sign in",
    details: "Signs in. \(SignedIn.help)"
  ) { context, words in
    let email = words[0]
    let before = try SignedIn.before(context)
    let request = Auth_V1.SignInRequest(
      email: email,
      password: try PasswordSource.existing(context),
      device: .commandLine,
      allowPartialContext: true,
      deviceToken: KnownDevicesFile(context).token(of: email)
    )
    let first = try await context.anonymous(to: "auth") { channel, options in
      try await Auth_V1.AuthenticationClient(channel).signIn(request, options: options)
    }
    let response = try await SecondFactorSource.complete(first, context)
    try await SignedIn.keep(response, of: email, replacing: before, context)
  }
}
