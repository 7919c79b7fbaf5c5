internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Proving again, within a session, who one is.
extension AuthCore {
  /// Gives the caller's session a new proof, made `now`; the tokens that it gets from then on say so.
  ///
  /// Throws UNAUTHENTICATED when the session has ended meanwhile.
  func raise(
    _ identity: UserIdentity,
    to proof: SignInProof,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> SessionRecord {
    try requireActiveSession(of: identity, now: now, in: tx)
    guard var session = try SessionTable.find(identity.sessionID, in: tx) else {
      throw AuthError.sessionEnded
    }
    session.proof = proof
    session.authenticated = now
    try SessionTable.updateProof(of: session, in: tx)
    try tx.audit("session.step_up", object: session.id, detail: proof.acr)
    return session
  }

  /// A new access token of a session beside those that come with its refresh tokens.
  func accessToken(
    of session: SessionRecord,
    by signer: SigningKey,
    now: Int64
  ) -> Auth_V1.AccessToken {
    let issued = now / 1000 * 1000
    let claims = AccessClaims(
      userID: session.userID,
      sessionID: session.id,
      tokenID: identifiers.make(.accessToken),
      issued: issued,
      expires: issued + settings.accessTokenLifetime.shortened(by: random.bytes(4)),
      acr: session.proof.acr,
      methods: session.proof.methods,
      authenticated: session.authenticated
    )
    return .init(
      token: signed(claims, by: signer),
      expiresAt: .init(milliseconds: claims.expires),
      acr: claims.acr
    )
  }

  /// An access token as it is sent.
  func signed(_ claims: AccessClaims, by signer: SigningKey) -> String {
    JSONWebToken.signed(
      type: AccessTokenVerifier.type,
      claims: claims.object(issuer: settings.issuer, audience: settings.audience),
      by: signer
    )
  }
}
