internal import CommandLineTool

/// The commands there are.
enum Commands {
  /// In the order in which help lists them.
  static let all: [Command] = [
    .list, .describe, .call, .watch, .listen, .signUp, .login, .logout, .verifyEmail, .disownEmail,
    .resetPassword, .changeEmail, .confirmEmail, .undoEmailChange, .pin, .totp, .passkeys,
    .removePasskey, .identities, .unlinkIdentity, .exportAccount, .deleteAccount, .deletion,
    .cancelDeletion, .whoAmI, .token, .seed, .explain, .policy, .keys, .users, .user, .disableUser,
    .enableUser, .forceReset, .importAccounts, .endSessions, .restoreRoles, .logs, .report,
    .completion,
  ]

  /// The command of a name.
  static func named(_ name: String) throws(UsageError) -> Command {
    guard let command = all.first(where: { $0.name == name }) else {
      let known = all.map(\.name).joined(separator: ", ")
      throw UsageError("unknown command \"\(name)\"; use \(known)")
    }
    return command
  }
}
