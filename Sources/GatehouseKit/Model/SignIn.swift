import Foundation

/// The second half of a sign-in that waits for a code.
public struct SecondFactor: Codable, Hashable, Sendable {
  /// Names the sign-in, once.
  var token: String
  /// Until when the code is taken.
  var expiresAt: Date
}

/// The result of a sign-in.
public enum SignInResult: Hashable, Sendable {
  /// The person is signed in.
  case signedIn(User)
  /// The account has an authenticator app: ask for its code, and call `complete`.
  case needsCode(SecondFactor)
}

/// Bodies and answers of signing in.
enum SignInWire {
  struct Device: Encodable {
    var name: String
    var application: String
  }

  struct Password: Encodable {
    var email: String
    var password: String
    var device: Device
    var allowPartialContext = true
  }

  struct SignUp: Encodable {
    var email: String
    var password: String
    var displayName: String
    var device: Device
    var allowPartialContext = true
  }

  struct Code: Encodable {
    var secondFactorToken: String
    var code: String?
    var recoveryCode: String?
  }

  struct Apple: Encodable {
    struct Profile: Encodable { var displayName: String }

    var identityToken: String
    var rawNonce: String
    var authorizationCode: String?
    var profile: Profile?
    var device: Device
    var allowPartialContext = true
  }

  struct Passkey: Encodable {
    var ceremonyId: String
    var response: JSONValue
    var device: Device
    var allowPartialContext = true
  }

  struct Answer: Decodable, Sendable {
    var tokens: Tokens?
    var user: User?
    var secondFactor: SecondFactor?
  }

  struct Refresh: Encodable {
    var refreshToken: String
    var attempt: String
  }
}
