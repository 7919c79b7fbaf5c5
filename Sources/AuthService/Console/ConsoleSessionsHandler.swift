internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.ConsoleSessions`: the refresh token of the console in a cookie that no script can read.
struct ConsoleSessionsHandler: Auth_V1.ConsoleSessionsService {
  /// Nil if there is no console.
  let console: ConsoleSettings?
  let authentication: AuthenticationHandler

  func begin(
    _ request: Auth_V1.BeginConsoleSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ConsoleSession {
    try requireConsole(call)
    return try await exchange(request.refreshToken, call)
  }

  func resume(
    _ request: Auth_V1.ResumeConsoleSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ConsoleSession {
    try requireConsole(call)
    // The first visit is no error, and a browser would show it as one.
    guard let token = ConsoleCookie.value(in: call.metadata) else { return .init() }
    return try await exchange(token, call)
  }

  func end(
    _ request: Auth_V1.EndConsoleSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.EndConsoleSessionResponse {
    try requireConsole(call)
    call.responseMetadata["set-cookie"] = ConsoleCookie.removal
    return .init()
  }

  private func exchange(
    _ token: String,
    _ call: CallContext
  ) async throws -> Auth_V1.ConsoleSession {
    let tokens = try await authentication.refresh(.init(refreshToken: token), call)
    call.responseMetadata["set-cookie"] = ConsoleCookie.setting(
      tokens.refreshToken,
      until: tokens.refreshTokenExpiresAt,
      now: authentication.core.clock.now
    )
    return .init(
      accessToken: tokens.accessToken,
      accessTokenExpiresAt: tokens.accessTokenExpiresAt,
      sessionEndsAt: tokens.refreshTokenExpiresAt,
      sessionId: tokens.sessionId
    )
  }

  /// Refuses whatever a page of another origin can have a browser send along with the cookie.
  ///
  /// Browsers let no page choose `sec-fetch-site` or `origin`, and no foreign page send the third field unasked.
  private func requireConsole(_ call: CallContext) throws {
    guard let console else { throw ConsoleError.off }
    let isOwn =
      switch call.metadata["sec-fetch-site"] {
      case let site?: site == "same-origin"
      case nil: console.address != nil && call.metadata["origin"] == console.address
      }
    guard isOwn, call.metadata["x-gatehouse-console"] == "1" else { throw ConsoleError.only }
  }
}
