internal import CommandLineTool

/// The commands there are.
enum Commands {
  /// In the order in which help lists them.
  static let all: [CommandDescription] = [
    ListCommand.description,
    DescribeCommand.description,
    CallCommand.description,
    WatchCommand.description,
    SignUpCommand.description,
    LoginCommand.description,
    LogoutCommand.description,
    VerifyEmailCommand.description,
    DisownEmailCommand.description,
    ResetPasswordCommand.description,
    ChangeEmailCommand.description,
    ConfirmEmailCommand.description,
    UndoEmailChangeCommand.description,
    PinCommand.description,
    TotpCommand.description,
    PasskeysCommand.description,
    RemovePasskeyCommand.description,
    IdentitiesCommand.description,
    UnlinkIdentityCommand.description,
    ExportAccountCommand.description,
    DeleteAccountCommand.description,
    DeletionCommand.description,
    CancelDeletionCommand.description,
    WhoAmICommand.description,
    TokenCommand.description,
    SeedCommand.description,
    ExplainCommand.description,
    PolicyCommand.description,
    KeysCommand.description,
    UsersCommand.description,
    UserCommand.description,
    UserChangeCommand.disable,
    UserChangeCommand.enable,
    UserChangeCommand.forceReset,
    ImportCommand.description,
    EndSessionsCommand.description,
    RestoreRolesCommand.description,
    LogsCommand.description,
    ReportCommand.description,
    CompletionCommand.description { all },
  ]

  /// The command of a name.
  static func named(_ name: String) throws(UsageError) -> CommandDescription {
    guard let command = all.first(where: { $0.name == name }) else {
      let known = all.map(\.name).joined(separator: ", ")
      throw UsageError("unknown command \"\(name)\"; use \(known)")
    }
    return command
  }
}
