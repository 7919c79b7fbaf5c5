/// The explanations of the program and its commands.
enum HelpText {
  static let general = """
    usage: gatehouse COMMAND [ARGUMENTS] [OPTIONS]

    Calls the services of a Gatehouse installation.

    commands:
    \(CommandName.allCases.map { "  \(padded($0.rawValue, 10))\(summary($0))" }.joined(separator: "\n"))
      help      explains a command: gatehouse help COMMAND

    \(options)
    """

  /// A command's own explanation.
  static func text(_ command: CommandName) -> String {
    """
    usage: gatehouse \(command.rawValue)\(arguments(command))

    \(details(command))

    \(options)
    """
  }

  static let options = """
    options, anywhere on the line:
      --target SERVICE=TARGET  where auth, tenancy or entitlement listens: tcp://HOST:PORT,
                               tls://HOST:PORT or unix:///PATH; also as GATEHOUSE_AUTH,
                               GATEHOUSE_TENANCY, GATEHOUSE_ENTITLEMENT; without, ports 7401, 7402
                               and 7403 of this machine
      --ca FILE                authorities that tls:// targets are checked against, PEM; without,
                               the system's
      --session FILE           keeps the session; without, ~/.gatehouse-session.json
      --anonymous              sends no token
      --timeout SECONDS        how long a call may take; without, 10, and watch has no limit
      --help                   explains the command

    exit code: 0 done, 1 failed, 2 not understood (nothing was sent)
    """

  private static func arguments(_ command: CommandName) -> String {
    switch command {
    case .list: " [SERVICE]"
    case .describe: " METHOD|TYPE"
    case .call: " [auth|tenancy|entitlement] METHOD [JSON|-]"
    case .watch: " [auth|tenancy|entitlement] METHOD [JSON|-]"
    case .signup: " EMAIL NAME"
    case .login: " EMAIL"
    case .logout, .whoami, .seed: ""
    case .keys: " DIRECTORY"
    }
  }

  private static func summary(_ command: CommandName) -> String {
    switch command {
    case .list: "lists services, or the methods of one"
    case .describe: "shows a method, a message or an enum"
    case .call: "calls a method with JSON and prints the answer as JSON"
    case .watch: "calls a method that streams, and prints a line of JSON for each message"
    case .signup: "makes an account and signs in"
    case .login: "signs in"
    case .logout: "ends the session"
    case .whoami: "shows the signed-in user"
    case .seed: "makes a portfolio with a property, units and devices to play with"
    case .keys: "makes the keys and secrets of a new installation"
    }
  }

  private static func details(_ command: CommandName) -> String {
    switch command {
    case .list:
      """
      Lists all services, or the methods of SERVICE with who may call them. The package may be left
      out: Portfolios is tenancy.v1.Portfolios.
      """
    case .describe:
      """
      Shows who may call METHOD and what it takes and answers, or the fields of a message, or the
      values of an enum.

        gatehouse describe Portfolios/Create
        gatehouse describe tenancy.v1.Device
      """
    case .call:
      """
      Calls METHOD with the request in JSON, {} if there is none, from standard input if it is -.
      The package of the method decides which service is called, unless one is named.

        gatehouse call Portfolios/Create '{"name": "Home"}'
        gatehouse call tenancy grpc.health.v1.Health/Check
      """
    case .watch:
      """
      Calls METHOD, which streams its answers, and prints each as one line of JSON until the stream
      ends or Control-C.

        gatehouse watch auth Health/Watch
      """
    case .signup, .login:
      """
      \(command == .login ? "Signs in." : "Makes an account and signs in.") The password is asked \
      for, or taken from GATEHOUSE_PASSWORD. The session
      is kept in a file that only its owner may read, and its token is refreshed when needed. A file
      beside it keeps, signed out or not, what AuthService knows this machine by.
      """
    case .logout: "Ends the session at AuthService and forgets it."
    case .whoami: "Shows the signed-in user with roles and plan, as AuthService has them now."
    case .seed:
      """
      Makes a portfolio, a property, two units, and devices in them and at the front door, all owned
      by the signed-in user, and prints what it made.
      """
    case .keys:
      """
      Makes DIRECTORY with a key pair for each service and the secrets of AuthService, readable by
      their owner alone, and prints the settings that go with them. Never overwrites a file.
      """
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
