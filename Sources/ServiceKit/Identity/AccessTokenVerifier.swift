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
  /// Which key signed it.
  public var keyID: String
}

/// Believes access tokens: `at+jwt` (RFC 9068), signed with ES256 by one issuer for one audience.
///
/// Each purpose of a token has a verifier of its own, so that none can be used as another.
public struct AccessTokenVerifier: Sendable {
  /// The type in the header.
  public static let type = "at+jwt"
  /// The longest that a token may live, in milliseconds.
  public static let lifetimeMax: Int64 = 15 * 60_000

  private let issuer: String
  private let audience: String

  /// Makes a verifier of tokens by `issuer`, which must match exactly, for `audience`.
  public init(issuer: String, audience: String) {
    self.issuer = issuer
    self.audience = audience
  }

  /// Checks everything that can be checked without asking anyone.
  ///
  /// Throws `unknownKey` for a token that looks right and names a key that is not in the set: the set
  /// may be old. `now` is in milliseconds since 1970.
  public func verify(
    _ text: String,
    keys: KeySet,
    now: Int64
  ) throws(TokenFault) -> AccessClaims {
    let token = try JSONWebToken(parsing: text)
    guard token.type == Self.type else { throw .type }
    guard let key = keys[token.keyID] else { throw .unknownKey }
    let claims = TokenClaims(token.claims)
    try claims.check(issuer: issuer, audience: audience)
    let (issued, expires) = try claims.checkTimes(now: now, lifetimeMax: Self.lifetimeMax)
    guard keys.allows(token.keyID, issued: issued, expires: expires) else { throw .lifetime }
    // Last, because it takes ten times as long as all the rest: anyone who keeps showing a token that
    // has ended must not keep a core busy with it.
    guard token.isSigned(by: key) else { throw .signature }
    return AccessClaims(
      userID: try claims.text("sub"),
      sessionID: try claims.text("sid"),
      tokenID: try claims.text("jti"),
      issued: issued,
      expires: expires,
      acr: try claims.text("acr"),
      methods: try claims.texts("amr"),
      authenticated: try claims.time("auth_time"),
      purpose: try claims.optionalText("purpose"),
      keyID: token.keyID
    )
  }

  /// Whether claims that were verified before still hold, or do so for a grace after their end.
  func isCurrent(_ claims: AccessClaims, now: Int64, grace: Int64) -> Bool {
    now < claims.expires.addingSaturated(grace)
  }
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
    purpose: String? = nil
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
      keyID: ""
    )
  }
}
