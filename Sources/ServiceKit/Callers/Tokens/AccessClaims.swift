public import StrictJSON

/// The claims of an access token, once it is accepted.
public struct AccessClaims: Sendable, Hashable {
  /// The user (`sub`).
  public var userID: String
  /// In which session (`sid`).
  public var sessionID: String
  /// The token's own name (`jti`).
  public var tokenID: String
  /// When it was issued, in milliseconds since 1970.
  public var issued: Int64
  /// When it ends, in milliseconds since 1970, without the allowance for clocks that differ.
  public var expires: Int64
  /// How the user proved to be who they are (`acr`): `pwd`, `pin`.
  public var acr: String
  /// With what (`amr`).
  public var methods: [String]
  /// When they did so, in milliseconds since 1970 (`auth_time`).
  public var authenticated: Int64
  /// The one thing an elevated token is good for (`purpose`), or nil.
  public var purpose: String?
  /// The object at or below which it is good for that (`object`), or nil for everywhere.
  public var object: String?
  /// Which key signed it.
  public var keyID: String
}

extension AccessClaims {
  /// The claims of a token, for its issuer to sign.
  public func object(issuer: String, audience: String) -> JSONObject {
    var object: JSONObject = [
      "iss": .string(issuer), "sub": .string(userID), "aud": .string(audience),
      "exp": .number(JSONNumber(expires / 1000)), "iat": .number(JSONNumber(issued / 1000)),
      "jti": .string(tokenID), "sid": .string(sessionID), "acr": .string(acr),
      "amr": .array(methods.map { .string($0) }),
      "auth_time": .number(JSONNumber(authenticated / 1000)),
    ]
    object["purpose"] = purpose.map { .string($0) }
    object["object"] = self.object.map { .string($0) }
    return object
  }

  /// Makes claims for a token to be issued.
  public init(
    userID: String,
    sessionID: String,
    tokenID: String,
    issued: Int64,
    expires: Int64,
    acr: String,
    methods: [String],
    authenticated: Int64,
    purpose: String? = nil,
    object: String? = nil
  ) {
    self.init(
      userID: userID,
      sessionID: sessionID,
      tokenID: tokenID,
      issued: issued,
      expires: expires,
      acr: acr,
      methods: methods,
      authenticated: authenticated,
      purpose: purpose,
      object: object,
      keyID: ""
    )
  }
}
