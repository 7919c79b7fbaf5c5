internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension DeviceDescription {
  init(_ device: Auth_V1.Device?) {
    self.init()
    guard let device else { return }
    name = device.name
    model = device.model
    application = device.application
  }

  var message: Auth_V1.Device { .init(name: name, model: model, application: application) }
}

extension Auth_V1.Session {
  init(_ session: SessionRecord, isCurrent: Bool) {
    self.init(
      id: session.id,
      device: session.device.message,
      createdAt: .init(milliseconds: session.created),
      lastSeenAt: .init(milliseconds: session.refresh.rotated),
      expiresAt: .init(milliseconds: session.end),
      current: isCurrent,
      network: session.network
    )
  }
}

/// The tokens of sessions, as they are sent.
extension AuthCore {
  /// The tokens of a session's newest generation.
  ///
  /// Made of the session alone, so that asking again within the grace gets the same answer.
  func tokens(of session: SessionRecord, by signer: SigningKey) -> Auth_V1.Tokens {
    let generation = session.refresh.generation
    let tokenID = "\(session.id).\(generation)"
    let issued = session.refresh.rotated / 1000 * 1000
    let lifetime = settings.accessTokenLifetime.shortened(by: Digests.sha256(tokenID))
    let claims = AccessClaims(of: session, tokenID: tokenID, issued: issued, lifetime: lifetime)
    return Auth_V1.Tokens(
      accessToken: signed(claims, by: signer),
      accessTokenExpiresAt: .init(milliseconds: claims.expires),
      refreshToken: secrets.refreshKeys.token(session: session.id, generation: generation),
      refreshTokenExpiresAt: .init(milliseconds: session.end),
      sessionId: session.id
    )
  }

  /// A new access token of a session beside those that come with its refresh tokens.
  ///
  /// `lifetime`: in milliseconds; nil for that of the others.
  func accessToken(
    of session: SessionRecord,
    by signer: SigningKey,
    now: Int64,
    lifetime: Int64? = nil,
    change: (inout AccessClaims) -> Void = { _ in }
  ) -> Auth_V1.AccessToken {
    var claims = AccessClaims(
      of: session,
      tokenID: identifiers.make(.accessToken),
      issued: now / 1000 * 1000,
      lifetime: lifetime ?? settings.accessTokenLifetime.shortened(by: random.bytes(4))
    )
    change(&claims)
    return .init(
      token: signed(claims, by: signer),
      expiresAt: .init(milliseconds: claims.expires),
      acr: claims.acr
    )
  }

  /// An access token as it is sent.
  private func signed(_ claims: AccessClaims, by signer: SigningKey) -> String {
    JSONWebToken.signed(
      type: AccessTokenVerifier.type,
      claims: claims.object(issuer: settings.issuer, audience: settings.audience),
      by: signer
    )
  }
}

extension AccessClaims {
  /// The claims of a token of a session.
  fileprivate init(of session: SessionRecord, tokenID: String, issued: Int64, lifetime: Int64) {
    self.init(
      userID: session.userID,
      sessionID: session.id,
      tokenID: tokenID,
      issued: issued,
      expires: issued + lifetime,
      acr: session.proof.acr,
      methods: session.proof.methods,
      authenticated: session.authenticated
    )
  }
}
