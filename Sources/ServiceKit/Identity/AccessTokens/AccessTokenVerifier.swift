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
      object: try claims.optionalText("object"),
      keyID: token.keyID
    )
  }

  /// Whether claims that were verified before still hold, or do so for a grace after their end.
  func isCurrent(_ claims: AccessClaims, now: Int64, grace: Int64) -> Bool {
    now < claims.expires.addingSaturated(grace)
  }
}
