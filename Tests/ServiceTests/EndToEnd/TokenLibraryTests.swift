import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import ServiceKit
import Testing

extension EndToEndTests {
  /// Access tokens, verified by a library of others with nothing but what AuthService publishes.
  @Suite("Tokens in PyJWT")
  struct TokenLibraryTests {
    /// The address of the issuer is where a proxy would be; the service answers at another one.
    private static let script = #"""
      import urllib.request
      from urllib.parse import urlsplit
      import jwt
      from cryptography.hazmat.primitives.asymmetric import ec

      address, token = values["address"], values["token"]
      with urllib.request.urlopen(address + "/.well-known/openid-configuration") as answer:
          about = json.load(answer)
      equal(about["issuer"], values["issuer"])
      location = urlsplit(about["jwks_uri"])
      equal(location.netloc, "id.example.com")
      keys = jwt.PyJWKClient(address + location.path)

      def verified(token, audience="gatehouse", issuer=about["issuer"]):
          key = keys.get_signing_key_from_jwt(token).key
          return jwt.decode(token, key, about["id_token_signing_alg_values_supported"], audience=audience,
                            issuer=issuer, options={"require": ["aud", "exp", "iat", "iss", "sub"]})

      claims = verified(token)
      equal(claims["sub"], values["user"])
      equal(claims["iss"], values["issuer"])
      refused(jwt.InvalidAudienceError, lambda: verified(token, audience="another"))
      refused(jwt.InvalidIssuerError, lambda: verified(token, issuer="https://another.example.com"))

      stranger = ec.generate_private_key(ec.SECP256R1())
      def forged(key):
          return jwt.encode(claims, stranger, "ES256", {"kid": key})
      refused(jwt.InvalidSignatureError, lambda: verified(forged(jwt.get_unverified_header(token)["kid"])))
      refused(jwt.PyJWKClientError, lambda: verified(forged("another")))
      """#

    @Test("A token is verified with the keys and the issuer of discovery, and a forged one refused")
    func token_isVerifiedByWhatIsPublished() async throws {
      let issuer: JSONValue = "https://id.example.com"
      let settings = ["issuer": issuer]
      try await Installation.run(
        auth: settings,
        settings: ["tenancy": settings, "entitlement": settings]
      ) { home in
        let ada = try await home.signUp("ada")
        let values: JSONObject = [
          "address": .string(home.auth.url), "issuer": issuer, "user": .string(ada.id),
          "token": .string(ada.tokens.accessToken),
        ]
        let problem = try await PythonClient.problem(Self.script, values, in: home)
        #expect(problem == nil)
      }
    }
  }
}
