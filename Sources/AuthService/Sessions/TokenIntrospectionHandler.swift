internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// `auth.v1.TokenIntrospection`: what a token is worth, for those who do not verify it by themselves (RFC 7662).
struct TokenIntrospectionHandler: Auth_V1.TokenIntrospectionService {
  let core: AuthCore
  /// Believes the same tokens as in calls of this service.
  let tokens: AccessTokenAuthenticator

  func introspect(
    _ request: Auth_V1.IntrospectTokenRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.IntrospectTokenResponse {
    // A gateway that passes a user's call on speaks for the user, who learns nothing of tokens.
    guard call.caller.user == nil else { throw IdentityError.callerNotAllowed }
    do throws(TokenFault) {
      return answer(try await tokens.authenticate(request.token).claims)
    } catch {
      // Why would tell more of the token than its holder knows (section 2.2).
      guard error != .keysUnavailable else { throw IdentityError.keysUnavailable }
      return .init()
    }
  }

  private func answer(_ claims: AccessClaims) -> Auth_V1.IntrospectTokenResponse {
    // What others allow for clocks that differ is not allowed for by the one whose clock it is.
    guard core.clock.now < claims.expires else { return .init() }
    return .init(
      active: true,
      tokenType: "Bearer",
      iss: core.settings.issuer,
      aud: core.settings.audience,
      sub: claims.userID,
      exp: Self.seconds(claims.expires),
      iat: Self.seconds(claims.issued),
      jti: claims.tokenID,
      sid: claims.sessionID,
      acr: claims.acr,
      authTime: Self.seconds(claims.authenticated),
      purpose: claims.purpose
    )
  }

  private static func seconds(_ milliseconds: Int64) -> UInt32 {
    UInt32(clamping: milliseconds / 1000)
  }
}
