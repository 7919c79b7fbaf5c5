internal import RPCKit

/// How a command ended, for scripts; documented in docs/reference/command-line.md.
enum ExitCode: Int32, CaseIterable {
  /// It did what was asked.
  case success = 0
  /// It failed, and would again.
  case failure = 1
  /// The command line is wrong, or a password, PIN or code is missing; nothing was changed.
  case usage = 2
  /// No sign-in, or the password, the session or the token is refused.
  case signIn = 3
  /// A service cannot be reached, or refuses for now: the same command may work later.
  case temporary = 4

  /// That of a failed call.
  init(_ error: RPCError) {
    switch error.code {
    case .unauthenticated: self = .signIn
    case .unavailable: self = .temporary
    // Without a detail that says when to try again, the same request gets the same answer.
    case .resourceExhausted where error.details.contains { $0.isMessage(Google_Rpc.RetryInfo.self) }:
      self = .temporary
    default: self = .failure
    }
  }
}

/// A command that makes no sense before somebody signs in.
struct SignInNeeded: Error, CustomStringConvertible {
  let description = "not signed in; run gatehouse login EMAIL first"
}
