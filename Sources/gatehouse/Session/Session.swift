internal import PeerContracts
internal import Reflection
internal import ServiceKit

/// A signed-in user, as the session file keeps it.
struct Session: Equatable, Sendable {
  /// The AuthService that made it; its refresh token is sent nowhere else.
  var authTarget: String
  /// The address that signed in.
  var email: String
  /// The user.
  var userID: String
  /// The session at AuthService.
  var sessionID: String
  /// Proves the user to every service.
  var accessToken: String
  /// When it ends, in milliseconds since 1970.
  var accessTokenEnd: Int64
  /// Gets the next pair of tokens, once.
  var refreshToken: String
  /// The name of the refresh that is under way; empty for none.
  var pendingAttempt = ""
}

extension Session {
  /// The session of an answer to signing in or up.
  init(_ response: Auth_V1.SignInResponse, authTarget: String) {
    let tokens = response.tokens ?? Auth_V1.Tokens()
    self.init(
      authTarget: authTarget,
      email: response.user?.email ?? "",
      userID: response.user?.id ?? "",
      sessionID: tokens.sessionId,
      accessToken: tokens.accessToken,
      accessTokenEnd: tokens.accessTokenExpiresAt?.milliseconds ?? 0,
      refreshToken: tokens.refreshToken
    )
  }

  /// The same session with newer tokens.
  func refreshed(_ tokens: Auth_V1.Tokens) -> Session {
    var session = self
    session.accessToken = tokens.accessToken
    session.accessTokenEnd = tokens.accessTokenExpiresAt?.milliseconds ?? 0
    session.refreshToken = tokens.refreshToken
    session.pendingAttempt = ""
    return session
  }

  /// The same session with a name for its next refresh, unless one was lost that has a name.
  func attempting(_ random: any RandomSource = SystemRandomSource()) -> Session {
    guard pendingAttempt.isEmpty else { return self }
    var session = self
    session.pendingAttempt = Base64URL.encode(random.bytes(16))
    return session
  }

  /// Reads the file's contents.
  init(_ value: JSONValue) throws(JSONDecodingError) {
    var members = try JSONField(value).members()
    authTarget = try members.required("auth_target").string()
    email = try members.required("email").string()
    userID = try members.required("user_id").string()
    sessionID = try members.required("session_id").string()
    accessToken = try members.required("access_token").string()
    let end = try members.required("access_token_expires_at")
    guard let milliseconds = InstantText.milliseconds(try end.string()) else {
      throw end.error("must be a date")
    }
    accessTokenEnd = milliseconds
    refreshToken = try members.required("refresh_token").string()
    pendingAttempt = try members.optional("pending_attempt")?.string() ?? ""
    try members.finish()
  }

  /// The file's contents.
  var json: JSONValue {
    var object: JSONObject = [
      "auth_target": .string(authTarget), "email": .string(email), "user_id": .string(userID),
      "session_id": .string(sessionID), "access_token": .string(accessToken),
      "access_token_expires_at": .string(InstantText.text(accessTokenEnd)),
      "refresh_token": .string(refreshToken),
    ]
    if !pendingAttempt.isEmpty { object["pending_attempt"] = .string(pendingAttempt) }
    return .object(object)
  }
}
