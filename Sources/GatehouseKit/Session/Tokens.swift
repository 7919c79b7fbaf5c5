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

  /// Seconds that the access token still lives; none if the device's clock went back, which could hide its end.
  func remaining(at wall: Date) -> Double {
    guard wall.timeIntervalSince(receivedAt) >= -2 else { return 0 }
    let now = wall.addingTimeInterval(clockOffset)
    return min(lifetime, tokens.accessTokenExpiresAt.timeIntervalSince(now))
  }
}
