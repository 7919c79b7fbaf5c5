import RPCKit
import RPCKitTesting
import ServiceKit

/// Makes tokens part by part, the way an attacker would.
struct TokenForge {
  let key = SigningKey.generate()
  let clock = ManualClock()

  var keys: KeySet { KeySet([key.verificationKey]) }
  var verifier: AccessTokenVerifier { AccessTokenVerifier(issuer: "issuer", audience: "suite") }

  /// Claims of a good access token.
  var claims: JSONObject {
    let now = clock.now / 1000
    return [
      "iss": "issuer", "sub": "usr_1", "aud": "suite", "exp": .number(JSONNumber(now + 600)),
      "iat": .number(JSONNumber(now)), "jti": "t1", "sid": "ses_1", "acr": "pwd",
      "amr": ["pwd"], "auth_time": .number(JSONNumber(now)),
    ]
  }

  /// The header of a good access token.
  var header: JSONObject {
    ["alg": "ES256", "kid": .string(key.id), "typ": "at+jwt"]
  }

  /// A good access token, after the changes.
  func token(
    header changeHeader: (inout JSONObject) -> Void = { _ in },
    claims changeClaims: (inout JSONObject) -> Void = { _ in },
    signedBy signer: SigningKey? = nil
  ) -> String {
    var (header, claims) = (header, claims)
    changeHeader(&header)
    changeClaims(&claims)
    return token(
      headerText: JSONValue.object(header).text,
      claimsText: JSONValue.object(claims).text,
      signedBy: signer
    )
  }

  /// A token of any texts, signed as if they were good.
  func token(headerText: String, claimsText: String, signedBy signer: SigningKey? = nil) -> String {
    let signed = Self.encoded(headerText) + "." + Self.encoded(claimsText)
    return signed + "." + Base64URL.encode((signer ?? key).sign(Array(signed.utf8)))
  }

  static func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

  /// What is wrong with a token; nil if nothing is.
  func fault(of token: String) -> TokenFault? {
    do throws(TokenFault) {
      _ = try verifier.verify(token, keys: keys, now: clock.now)
      return nil
    } catch {
      return error
    }
  }
}
