/// The explanations of the program and its commands.
enum HelpText {
  static let general = """
    usage: gatehouse COMMAND [ARGUMENTS] [OPTIONS]

    Call the services of a Gatehouse installation.

    commands:
    \(Commands.all.map { "  \(padded($0.name, 19))\($0.summary)" }.joined(separator: "\n"))
      help               explain a command: gatehouse help COMMAND

    \(options)
    """

  /// A command's own explanation.
  static func text(_ command: Command) -> String {
    """
    usage: gatehouse \(command.name)\(command.arguments.isEmpty ? "" : " ")\(command.arguments)

    \(command.details)

    \(options)
    """
  }

  static let options = """
    options, anywhere on the line:
      --target SERVICE=TARGET  where auth, tenancy or entitlement listens: tcp://HOST:PORT,
                               tls://HOST:PORT or unix:///PATH. Default: GATEHOUSE_AUTH,
                               GATEHOUSE_TENANCY or GATEHOUSE_ENTITLEMENT, else port 7401, 7402
                               or 7403 of this machine
      --descriptors FILE       contracts of other services, as protoc --include_imports
                               --include_source_info --descriptor_set_out=FILE writes them; then
                               --target takes other names too: those of their packages
      --ca FILE                PEM file of certificate authorities for tls:// targets.
                               Default: those of the system
      --session FILE           where to keep the session. Default: ~/.gatehouse-session.json
      --anonymous              send no access token
      --timeout SECONDS        how long a call may take. Default: 10, for watch unlimited
      --output json|table      how to print what was found: JSON with every field, or columns.
                               Default: json for call, watch and whoami, table for the others
      --request ID             the request that logs looks for
      --product NAME           the product whose world seed makes
      --role ROLE              the role that policy explain is about
      --help                   explain the command
      --version                print the version and the commit that it was built from

    exit code: 0 success, 1 failure, 2 wrong command line, or no password, PIN or code (nothing was
    changed), 3 not signed in or credentials refused, 4 a service cannot be reached or refuses for now
    """

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
