/// The explanations of the program and its commands.
enum HelpText {
  static let general = """
    usage: gatehouse COMMAND [ARGUMENTS] [OPTIONS]

    Call the services of a Gatehouse installation.

    commands:
    \(CommandName.allCases.map { "  \(padded($0.rawValue, 14))\(summary($0))" }.joined(separator: "\n"))
      help          explain a command: gatehouse help COMMAND

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
                               tls://HOST:PORT or unix:///PATH. Default: GATEHOUSE_AUTH,
                               GATEHOUSE_TENANCY or GATEHOUSE_ENTITLEMENT, else port 7401, 7402
                               or 7403 of this machine
      --ca FILE                PEM file of certificate authorities for tls:// targets.
                               Default: those of the system
      --session FILE           where to keep the session. Default: ~/.gatehouse-session.json
      --anonymous              send no access token
      --timeout SECONDS        how long a call may take. Default: 10, for watch unlimited
      --help                   explain the command

    exit code: 0 success, 1 failure, 2 wrong command line (nothing was sent)
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
    case .users: " [TEXT]"
    case .endSessions: " USER|EMAIL"
    }
  }

  private static func summary(_ command: CommandName) -> String {
    switch command {
    case .list: "list the services, or the methods of one"
    case .describe: "show a method, a message or an enum"
    case .call: "call a method with JSON and print the answer as JSON"
    case .watch: "call a streaming method and print each message as a line of JSON"
    case .signup: "create an account and sign in"
    case .login: "sign in"
    case .logout: "end the session"
    case .whoami: "show the signed-in user"
    case .seed: "create a portfolio with a property, units and devices to play with"
    case .keys: "create the keys and secrets of a new installation"
    case .users: "list or search accounts, for operators"
    case .endSessions: "sign a user out everywhere, for operators"
    }
  }

  private static func details(_ command: CommandName) -> String {
    switch command {
    case .list:
      """
      Lists all services, or the methods of SERVICE and who may call them. You can omit the package:
      Portfolios is tenancy.v1.Portfolios.
      """
    case .describe:
      """
      Shows who may call METHOD with its request and response, or the fields of a message, or the
      values of an enum.

        gatehouse describe Portfolios/Create
        gatehouse describe tenancy.v1.Device
      """
    case .call:
      """
      Calls METHOD with a request written as JSON: {} if you give none, standard input if you give -.
      The package of the method decides which service is called, unless you name one.

        gatehouse call Portfolios/Create '{"name": "Home"}'
        gatehouse call tenancy grpc.health.v1.Health/Check
      """
    case .watch:
      """
      Calls METHOD, which streams its answers, and prints each as a line of JSON until the stream
      ends or you press Control-C.

        gatehouse watch auth Health/Watch
      """
    case .signup, .login:
      """
      \(command == .login ? "Signs in." : "Creates an account and signs in.") Asks for the password, \
      or takes it from GATEHOUSE_PASSWORD.
      The session is kept in a file that only you can read, and its access token is renewed when
      needed. Another file beside it keeps the device tokens by which AuthService recognises this
      machine, even after you sign out.
      """
    case .logout: "Ends the session at AuthService and deletes its file."
    case .whoami: "Shows the signed-in user with current roles and plan."
    case .seed:
      """
      Creates a portfolio with a property, two units, and devices in them and at the front door, all
      owned by the signed-in user, and prints them.
      """
    case .keys:
      """
      Creates DIRECTORY with a key pair for each service and the secrets of AuthService, readable
      only by their owner, and prints the settings that use them. Never overwrites a file.
      """
    case .users:
      """
      Lists accounts, newest first: id, e-mail address and display name. With TEXT, only those whose
      address, display name, first or last name begins with it. Needs the role super_admin, and is
      recorded in AuthService's audit log.
      """
    case .endSessions:
      """
      Ends all sessions of the user with this id or e-mail address. All services refuse the tokens
      within a second. The user can sign in again, so suspend it too to keep it out. Needs the role
      super_admin.

        gatehouse end-sessions ada@example.com
        gatehouse call Subjects/Suspend '{"userId": "usr_…"}'
      """
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
