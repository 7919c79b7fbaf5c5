internal import PeerContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// Finds the session's token for a call, and renews it in time.
struct SessionKeeper {
  /// How long before its end a token is renewed: enough for a call to arrive with it.
  static let renewalMargin: Int64 = 15_000

  private let context: CommandContext
  /// Where the session is kept.
  let file: SessionFile

  init(_ context: CommandContext) {
    self.context = context
    file = SessionFile(path: context.options.sessionPath)
  }

  /// The variable of the environment with a token that goes along in place of the session's.
  static let tokenVariable = "GATEHOUSE_TOKEN"

  /// The metadata of a call: the token, unless nobody is signed in or the method asks for none.
  func metadata(for method: MethodSchema) async throws -> Metadata {
    guard !context.options.isAnonymous, method.caller != "public" else { return [:] }
    if let token = context.environment[Self.tokenVariable], !token.isEmpty {
      return ["authorization": "Bearer \(token)"]
    }
    guard let session = try await current() else { return [:] }
    return Self.metadata(session)
  }

  /// The metadata of a call that may be made without a session: the token, if there is a session that
  /// lives.
  func availableMetadata() async throws -> Metadata {
    guard !context.options.isAnonymous else { return [:] }
    do {
      return try await current().map(Self.metadata) ?? [:]
    } catch let failure as CallFailure where failure.error.code == .unauthenticated {
      return [:]
    }
  }

  /// The metadata of a call that makes no sense without a session.
  func requiredMetadata() async throws -> Metadata {
    Self.metadata(try await required())
  }

  /// The session, whose token is good for `margin` milliseconds at least; throws when nobody is signed
  /// in.
  func required(margin: Int64 = renewalMargin) async throws -> Session {
    guard !context.options.isAnonymous, let session = try await current(margin) else {
      throw SignInNeeded()
    }
    return session
  }

  /// Ends a session that is not in the file, or no longer; one that is over already is no error.
  func end(_ session: Session) async throws {
    do {
      try await signOut(
        isGood(session, Self.renewalMargin) ? session : try await refreshed(session.attempting())
      )
    } catch let failure as CallFailure where failure.error.code == .unauthenticated {
      // It is over already, which is what was wanted.
    }
  }

  /// Ends a session at AuthService.
  func signOut(_ session: Session) async throws {
    _ = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AuthenticationClient(channel).signOut(
        Auth_V1.SignOutRequest(),
        timeout: context.callTimeout,
        options: CallOptions(metadata: Self.metadata(session))
      )
    }
  }

  private static func metadata(_ session: Session) -> Metadata {
    ["authorization": "Bearer \(session.accessToken)"]
  }

  /// The session with a token that is good for a while; nil when nobody is signed in.
  private func current(_ margin: Int64 = renewalMargin) async throws -> Session? {
    guard let session = try file.read() else { return nil }
    try checkTarget(session)
    guard !isGood(session, margin) else { return session }
    // Before it is sent: a command that is killed then can be repeated by the next one.
    let attempting = session.attempting()
    if attempting != session { try file.write(attempting) }
    let refreshed = try await refreshed(attempting)
    try file.write(refreshed)
    return refreshed
  }

  /// Whether the token is good for `margin` milliseconds at least.
  private func isGood(_ session: Session, _ margin: Int64) -> Bool {
    session.accessTokenEnd - margin > context.clock.now
  }

  /// The session with new tokens.
  private func refreshed(_ session: Session) async throws -> Session {
    let tokens = try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AuthenticationClient(channel).refresh(
        Auth_V1.RefreshRequest(
          refreshToken: session.refreshToken,
          attempt: session.pendingAttempt
        ),
        timeout: context.callTimeout
      )
    }
    return session.refreshed(tokens)
  }

  /// A token of one installation is a secret to every other.
  func checkTarget(_ session: Session) throws(UsageError) {
    let target = context.options.targets["auth"]
    guard target != session.authTarget else { return }
    throw UsageError(
      "the session in \(file.path) belongs to \(session.authTarget), not \(target ?? "nowhere"); "
        + "sign in again, or use another --session or --anonymous"
    )
  }
}
