/// One command with its arguments.
protocol Command: Sendable {
  /// Does it; throws what the program reports.
  func run(_ context: CommandContext) async throws
}

/// The commands there are.
enum CommandName: String, CaseIterable, Sendable {
  case list
  case describe
  case call
  case watch
  case signup
  case login
  case logout
  case verifyEmail = "verify-email"
  case disownEmail = "disown-email"
  case resetPassword = "reset-password"
  case changeEmail = "change-email"
  case confirmEmail = "confirm-email"
  case undoEmailChange = "undo-email-change"
  case pin
  case totp
  case passkeys
  case removePasskey = "remove-passkey"
  case identities
  case unlinkIdentity = "unlink-identity"
  case exportAccount = "export-account"
  case deleteAccount = "delete-account"
  case deletion
  case cancelDeletion = "cancel-deletion"
  case whoami
  case token
  case seed
  case explain
  case policy
  case keys
  case users
  case user
  case disableUser = "disable-user"
  case enableUser = "enable-user"
  case forceReset = "force-reset"
  case importUsers = "import"
  case endSessions = "end-sessions"
  case restoreRoles = "restore-roles"
  case logs
  case report
  case completion

  /// The command of a name.
  static func named(_ name: String) throws(UsageError) -> CommandName {
    guard let command = CommandName(rawValue: name) else {
      let known = allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("unknown command \"\(name)\"; use \(known)")
    }
    return command
  }

  /// Refuses options that mean nothing to the command, rather than to overlook them.
  func check(_ options: CommandLineOptions) throws(UsageError) {
    if let format = options.output, !formats.contains(format) {
      throw UsageError("--output \(format.rawValue) is not for gatehouse \(rawValue)")
    }
    if self != .report, let (name, text) = options.report.min(by: { $0.key < $1.key }) {
      guard name == "--output" else { throw UsageError("\(name) is only for gatehouse report") }
      throw UsageError("--output \"\(text)\" is not a format; use json or table")
    }
    if options.request != nil, self != .logs {
      throw UsageError("--request is only for gatehouse logs")
    }
    if options.product != nil, self != .seed {
      throw UsageError("--product is only for gatehouse seed")
    }
    if options.isDryRun || options.vouchesForAddresses, self != .importUsers {
      throw UsageError("--dry-run and --vouch-for-addresses are only for gatehouse import")
    }
    if options.role != nil, self != .policy {
      throw UsageError("--role is only for gatehouse policy explain")
    }
  }

  /// The formats in which the command can write what it finds.
  var formats: [OutputFormat] {
    switch self {
    case .list, .call, .whoami, .identities, .seed, .explain, .policy, .users, .user, .passkeys,
      .logs, .restoreRoles:
      OutputFormat.allCases
    case .watch: [.json]
    default: []
    }
  }

  /// The command of the words after its name.
  func command(_ words: [String]) throws(UsageError) -> any Command {
    switch self {
    case .list: ListCommand(service: try Self.words(words, [], optionalCount: 1).first)
    case .describe: DescribeCommand(name: try Self.words(words, ["METHOD or TYPE"])[0])
    case .call: CallCommand(try MethodArguments(words))
    case .watch: words.isEmpty ? WatchListCommand() : WatchCommand(try MethodArguments(words))
    case .signup: try SignUpCommand(try Self.words(words, ["EMAIL", "NAME"]))
    case .login: LoginCommand(email: try Self.words(words, ["EMAIL"])[0])
    case .logout: try Self.alone(words, LogoutCommand())
    case .verifyEmail: VerifyEmailCommand(token: try Self.words(words, [], optionalCount: 1).first)
    case .disownEmail: DisownEmailCommand(token: try Self.words(words, ["CODE"])[0])
    case .resetPassword:
      ResetPasswordCommand(addressOrToken: try Self.words(words, ["EMAIL or CODE"])[0])
    case .changeEmail: ChangeEmailCommand(email: try Self.words(words, ["EMAIL"])[0])
    case .confirmEmail: ConfirmEmailCommand(token: try Self.words(words, ["CODE"])[0])
    case .undoEmailChange: UndoEmailChangeCommand(token: try Self.words(words, ["CODE"])[0])
    case .pin: try PinCommand(words)
    case .totp: try TotpCommand(words)
    case .passkeys: try Self.alone(words, PasskeysCommand())
    case .removePasskey: RemovePasskeyCommand(id: try Self.words(words, ["PASSKEY"])[0])
    case .identities: try Self.alone(words, IdentitiesCommand())
    case .unlinkIdentity: UnlinkIdentityCommand(id: try Self.words(words, ["IDENTITY"])[0])
    case .exportAccount: ExportAccountCommand(path: try Self.words(words, ["FILE"])[0])
    case .deleteAccount: try Self.alone(words, DeleteAccountCommand())
    case .deletion: DeletionCommand(id: try Self.words(words, [], optionalCount: 1).first)
    case .cancelDeletion: try Self.alone(words, CancelDeletionCommand())
    case .whoami: try Self.alone(words, WhoAmICommand())
    case .token: try Self.alone(words, TokenCommand())
    case .seed: try Self.alone(words, SeedCommand())
    case .explain: ExplainCommand(try Self.words(words, ["USER", "ACTION", "OBJECT"]))
    case .policy: try PolicyCommand(words)
    case .keys: try KeysCommand(try Self.words(words, ["DIRECTORY"], optionalCount: 8))
    case .users: UsersCommand(text: try Self.words(words, [], optionalCount: 1).first ?? "")
    case .user: UserCommand(user: try Self.words(words, ["USER or EMAIL"])[0])
    case .disableUser:
      UserChangeCommand(.disable, try Self.words(words, ["USER or EMAIL", "REASON"]))
    case .enableUser:
      UserChangeCommand(.enable, try Self.words(words, ["USER or EMAIL", "REASON"]))
    case .forceReset:
      UserChangeCommand(.forceReset, try Self.words(words, ["USER or EMAIL", "REASON"]))
    case .importUsers: ImportCommand(try Self.words(words, ["SOURCE", "FILE"]))
    case .endSessions: EndSessionsCommand(user: try Self.words(words, ["USER or EMAIL"])[0])
    case .restoreRoles:
      RestoreRolesCommand(role: try Self.words(words, [], optionalCount: 1).first)
    case .logs: LogsCommand(paths: words)
    case .report: ReportCommand(words: try Self.words(words, [], optionalCount: 1))
    case .completion: try CompletionCommand(words)
    }
  }

  private static func alone<Alone: Command>(
    _ words: [String],
    _ command: Alone
  ) throws(UsageError) -> Alone {
    _ = try Self.words(words, [])
    return command
  }

  /// The words, if there is one for each name, and at most `optionalCount` more.
  private static func words(
    _ words: [String],
    _ names: [String],
    optionalCount: Int = 0
  ) throws(UsageError) -> [String] {
    guard words.count >= names.count else {
      throw UsageError("missing argument \(names[words.count])")
    }
    let most = names.count + optionalCount
    guard words.count <= most else {
      throw UsageError("unexpected argument \"\(words[most])\"")
    }
    return words
  }
}
