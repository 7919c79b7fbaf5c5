internal import PeerContracts
internal import RPCKit

/// The steps before and after a sign-in of either kind.
enum SignedIn {
  /// The part of the help that both commands share.
  static let help = """
    Asks for the password, or takes it from GATEHOUSE_PASSWORD.
    The session is kept in a file that only you can read, and its access token is renewed when
    needed. Another file beside it keeps the device tokens by which AuthService recognises this
    machine, even after you sign out. The session that was kept before is ended.
    """

  /// The session that the next one will replace; nil for none.
  ///
  /// Throws when the file is something else, which must not be written over.
  static func before(_ context: CommandContext) throws -> Session? {
    try SessionFile(path: context.options.sessionPath).read()
  }

  /// Keeps the session and the device token of `email`, says whose the session is, and ends the one
  /// before.
  static func keep(
    _ response: Auth_V1.SignInResponse,
    of email: String,
    replacing before: Session?,
    _ context: CommandContext
  ) async throws {
    let session = Session(response, authTarget: context.options.targets["auth"] ?? "")
    let keeper = SessionKeeper(context)
    do {
      try keeper.file.write(session)
    } catch {
      // Without its tokens nobody could use it. If it cannot be ended either, it ends by itself.
      try? await keeper.end(session)
      throw FileError("the session cannot be kept, so it was ended: \(error)")
    }
    KnownDevicesFile(context).keep(response.deviceToken, of: email)
    try context.console.line("signed in as \(session.email) (\(session.userID))")
    if let before { await end(before, replacedBy: session, keeper, context) }
  }

  /// Says when the session before cannot be ended: the new one is good nevertheless.
  private static func end(
    _ before: Session,
    replacedBy session: Session,
    _ keeper: SessionKeeper,
    _ context: CommandContext
  ) async {
    guard before.authTarget == session.authTarget else {
      context.console.note("the session of \(before.email) at \(before.authTarget) stays open")
      return
    }
    do {
      try await keeper.end(before)
    } catch {
      let reason = (error as? CallFailure)?.error.message ?? "\(error)"
      context.console.note(
        "the session before stays open (\(reason)); end it with gatehouse call Sessions/Revoke "
          + "'{\"sessionId\":\"\(before.sessionID)\"}'"
      )
    }
  }
}
