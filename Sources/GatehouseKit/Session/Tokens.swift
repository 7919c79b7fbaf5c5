import Foundation

/// The tokens of a session as the services answer them.
struct Tokens: Codable, Equatable, Sendable {
  var accessToken: String
  var accessTokenExpiresAt: Date
  var refreshToken: String
}

/// All of a session that is kept on the device, in one secret.
struct SessionRecord: Codable, Equatable, Sendable {
  /// A refresh under way, which is repeated with its name until it is answered.
  struct Attempt: Codable, Equatable, Sendable {
    var name: String
    var begunAt: Date
  }

  var userID: String
  var tokens: Tokens
  /// How long the access token lived when it came, in seconds.
  var lifetime: Double
  /// The device's clock when the tokens came.
  var receivedAt: Date
  /// How far the server's clock was ahead of it, in seconds.
  var clockOffset: Double
  var attempt: Attempt?
  /// The organization, portfolio, family or other object that the person works in.
  var context: String?

  /// Whether both are of one refresh.
  func hasTokens(of other: SessionRecord) -> Bool {
    tokens.refreshToken == other.tokens.refreshToken
      && tokens.accessToken == other.tokens.accessToken
  }

  /// Whether a refresh is under way that the server still repeats.
  func isAttempted(at wall: Date) -> Bool {
    attempt.map { abs($0.begunAt.timeIntervalSince(wall)) < 86_400 } == true
  }

  /// Notes when the tokens came, by both clocks.
  mutating func stamp(serverTime: Date?, wall: Date) {
    let server = serverTime ?? wall
    let offset = server.timeIntervalSince(wall)
    receivedAt = wall
    clockOffset = abs(offset) < 2 ? 0 : offset
    lifetime = max(0, tokens.accessTokenExpiresAt.timeIntervalSince(server))
  }

  /// Seconds that the access token still lives; none if the device's clock went back, which could hide its end.
  func remaining(at wall: Date) -> Double {
    guard wall.timeIntervalSince(receivedAt) >= -2 else { return 0 }
    let now = wall.addingTimeInterval(clockOffset)
    return min(lifetime, tokens.accessTokenExpiresAt.timeIntervalSince(now))
  }
}
