import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// Every way to forge a token that the literature knows (RFC 8725 and what followed it).
@Suite("Forged access tokens")
struct ForgedTokenTests {
  private let forge = TokenForge()

  @Test("A good token is believed, with what it says")
  func token_good_isBelieved() throws {
    let claims = try forge.verifier.verify(forge.token(), keys: forge.keys, now: forge.clock.now)
    #expect(claims.userID == "usr_1")
    #expect(claims.sessionID == "ses_1")
    #expect(claims.acr == "pwd")
    #expect(claims.authenticated == forge.clock.now)
    #expect(forge.fault(of: forge.token { $0["typ"] = "application/AT+JWT" }) == nil)
    #expect(forge.fault(of: forge.token(claims: { $0["aud"] = ["x", "suite"] })) == nil)
    #expect(forge.fault(of: forge.token { $0["made_up"] = 1 }) == nil)
  }

  @Test(
    "Every other algorithm is refused, whatever its spelling",
    arguments: [
      "none", "None", "NONE", "nOnE", "", "HS256", "hs256", "RS256", "PS256", "es256",
      "ES256K", "ES384", "EdDSA", "ES256 ",
    ]
  )
  func algorithm_other_isRefused(_ algorithm: String) {
    #expect(forge.fault(of: forge.token { $0["alg"] = .string(algorithm) }) == .algorithm)
  }

  @Test("A token without signature, or signed with an HMAC under the public key, is refused")
  func algorithm_publicKeyAsSecret_isRefused() {
    let unsigned =
      TokenForge.encoded(#"{"alg":"none"}"#) + "."
      + TokenForge.encoded(JSONValue.object(forge.claims).text)
    #expect(forge.fault(of: unsigned + ".") == .encoding)
    #expect(forge.fault(of: unsigned) == .encoding)
    var header = forge.header
    header["alg"] = "HS256"
    let signed =
      TokenForge.encoded(JSONValue.object(header).text) + "."
      + TokenForge.encoded(JSONValue.object(forge.claims).text)
    for secret in [forge.key.verificationKey.pem, forge.key.verificationKey.id, " "] {
      let code = HMACKey(Array(secret.utf8)).code(of: Array(signed.utf8))
      #expect(forge.fault(of: signed + "." + Base64URL.encode(code)) == .algorithm)
    }
    #expect(forge.fault(of: forge.token { $0["alg"] = nil }) == .algorithm)
    #expect(forge.fault(of: forge.token { $0["alg"] = 1 }) == .algorithm)
    #expect(forge.fault(of: forge.token { $0["alg"] = ["ES256"] }) == .algorithm)
  }

  @Test("A key inside the token is never used", arguments: ["jku", "jwk", "x5u", "x5c"])
  func header_embeddedKey_isRefused(_ name: String) {
    let own = SigningKey.generate()
    let forged = forge.token(
      header: { header in
        header["kid"] = .string(own.id)
        header[name] = .object(own.verificationKey.jwk)
      },
      signedBy: own
    )
    #expect(forge.fault(of: forged) == .embeddedKey)
  }

  @Test("Extensions are refused", arguments: ["crit", "b64", "zip", "enc", "cty"])
  func header_extension_isRefused(_ name: String) {
    #expect(forge.fault(of: forge.token { $0[name] = ["b64"] }) == .extensions)
    #expect(forge.fault(of: forge.token { $0[name] = false }) == .extensions)
  }

  @Test(
    "A key identifier is a plain name",
    arguments: [
      "", "../../dev/null", "' OR 1=1 --", "a b", "k\u{0}", "é", "/", "a.b",
      String(repeating: "a", count: 65),
    ]
  )
  func keyIdentifier_odd_isRefused(_ name: String) {
    #expect(forge.fault(of: forge.token { $0["kid"] = .string(name) }) == .keyIdentifier)
  }

  @Test("A missing key identifier, and one that nobody has, are refused")
  func keyIdentifier_unknown_isRefused() {
    #expect(forge.fault(of: forge.token { $0["kid"] = nil }) == .keyIdentifier)
    #expect(forge.fault(of: forge.token { $0["kid"] = 7 }) == .keyIdentifier)
    #expect(forge.fault(of: forge.token { $0["kid"] = "unknown" }) == .unknownKey)
    #expect(forge.fault(of: forge.token(signedBy: .generate())) == .signature)
  }

  @Test("Tokens of another purpose are refused", arguments: ["JWT", "svc+jwt", "rt+jwt", "", "at"])
  func type_other_isRefused(_ type: String) {
    #expect(forge.fault(of: forge.token { $0["typ"] = .string(type) }) == .type)
  }

  @Test("A header or claims with a member twice are refused")
  func json_repeatedMember_isRefused() {
    let claims = JSONValue.object(forge.claims).text
    let header = JSONValue.object(forge.header).text
    let twice = String(claims.dropLast()) + #","sub":"usr_2"}"#
    #expect(forge.fault(of: forge.token(headerText: header, claimsText: twice)) == .claims)
    let twiceAlg = String(header.dropLast()) + #","alg":"ES256"}"#
    #expect(forge.fault(of: forge.token(headerText: twiceAlg, claimsText: claims)) == .header)
    for text in ["[]", "null", "7", "{", "\"\"", "{}x", " {\"\u{0}\":1}"] {
      #expect(forge.fault(of: forge.token(headerText: header, claimsText: text)) == .claims)
      #expect(forge.fault(of: forge.token(headerText: text, claimsText: claims)) == .header)
    }
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let nested = String(claims.dropLast()) + #","x":\#(deep)}"#
    #expect(forge.fault(of: forge.token(headerText: header, claimsText: nested)) == .claims)
  }

  @Test("Claims that are missing, empty or of another type are refused")
  func claims_missingOrOdd_areRefused() {
    for name in ["sub", "sid", "jti", "acr", "exp", "iat", "auth_time"] {
      #expect(forge.fault(of: forge.token(claims: { $0[name] = nil })) == .claims)
    }
    for name in ["sub", "sid", "jti", "acr"] {
      for value in ["", 1, ["usr_1"], nil, true] as [JSONValue] {
        #expect(forge.fault(of: forge.token(claims: { $0[name] = value })) == .claims)
      }
    }
    for name in ["exp", "iat", "auth_time"] {
      for value in ["1800000600", "", true, [], -1] as [JSONValue] {
        #expect(forge.fault(of: forge.token(claims: { $0[name] = value })) == .claims)
      }
    }
  }

  @Test(
    "Times that are not whole seconds below 2^53 are refused",
    arguments: ["1e400", "1.5", "-1", "9007199254740993", "1e17", "99999999999999999999999"]
  )
  func time_oddNumber_isRefused(_ number: String) {
    let claims = JSONValue.object(forge.claims).text
    let now = forge.clock.now / 1000
    let changed = claims.split(separator: #""exp":\#(now + 600)"#).joined(
      separator: #""exp":\#(number)"#
    )
    #expect(changed != claims)
    let header = JSONValue.object(forge.header).text
    #expect(forge.fault(of: forge.token(headerText: header, claimsText: changed)) == .claims)
  }

  @Test("Issuer and audience are compared exactly")
  func claims_otherIssuerOrAudience_areRefused() {
    for issuer in ["Issuer", "issuer ", "issuer/", "", 1, ["issuer"]] as [JSONValue] {
      #expect(forge.fault(of: forge.token(claims: { $0["iss"] = issuer })) == .issuer)
    }
    #expect(forge.fault(of: forge.token(claims: { $0["iss"] = nil })) == .issuer)
    for audience in ["Suite", "suit", "", 1, [], ["other"], [["suite"]]] as [JSONValue] {
      #expect(forge.fault(of: forge.token(claims: { $0["aud"] = audience })) == .audience)
    }
    #expect(forge.fault(of: forge.token(claims: { $0["aud"] = nil })) == .audience)
  }

  @Test("A token is good until 3 seconds after its end and from 30 seconds before its issue")
  func time_edges_areExact() {
    let now = forge.clock.now / 1000
    func token(issued: Int64, expires: Int64, notBefore: Int64? = nil) -> String {
      forge.token(claims: { claims in
        claims["iat"] = .number(JSONNumber(issued))
        claims["exp"] = .number(JSONNumber(expires))
        claims["nbf"] = notBefore.map { .number(JSONNumber($0)) }
      })
    }
    #expect(forge.fault(of: token(issued: now - 600, expires: now - 2)) == nil)
    #expect(forge.fault(of: token(issued: now - 600, expires: now - 3)) == .expired)
    #expect(forge.fault(of: token(issued: now + 30, expires: now + 600)) == nil)
    #expect(forge.fault(of: token(issued: now + 31, expires: now + 600)) == .notYetValid)
    #expect(forge.fault(of: token(issued: now, expires: now + 60, notBefore: now + 30)) == nil)
    #expect(
      forge.fault(of: token(issued: now, expires: now + 60, notBefore: now + 31)) == .notYetValid
    )
    #expect(forge.fault(of: token(issued: now, expires: now + 900)) == nil)
    #expect(forge.fault(of: token(issued: now, expires: now + 901)) == .lifetime)
    #expect(forge.fault(of: token(issued: now + 20, expires: now + 20)) == .lifetime)
  }

  @Test("A token that is cut, extended or re-encoded is refused")
  func token_changedText_isRefused() {
    let token = forge.token()
    for count in stride(from: 0, to: token.utf8.count, by: 7) {
      #expect(forge.fault(of: String(token.prefix(count))) != nil)
    }
    for changed in [
      token + "=", token + ".", token + "A", token + ".e30", " " + token, token + "\n", "." + token,
      token + "\0", token.replacing(".", with: ". "), token.replacing(".", with: "=."),
      "Bearer " + token, token + "." + token, "", "..", "a.b.c", "....",
    ] {
      #expect(forge.fault(of: changed) != nil, "\(changed)")
    }
    #expect(forge.fault(of: String(repeating: "A", count: 1 << 20)) == .tooLong)
  }

  @Test("A signature in DER, of zeros, or with unused bits set is refused")
  func signature_otherForms_areRefused() throws {
    let parts = forge.token().split(separator: ".").map(String.init)
    let signed = parts[0] + "." + parts[1]
    let raw = try #require(Base64URL.decode(parts[2]))
    let der = try #require(ECDSASignature(raw: raw)).der
    for forged in [der, [UInt8](repeating: 0, count: 64), raw + [0], Array(raw.dropLast()), [0]] {
      #expect(forge.fault(of: signed + "." + Base64URL.encode(forged)) == .signature)
    }
    // 64 bytes leave four bits of the last letter unused.
    let last = try #require(parts[2].last)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let place = try #require(alphabet.firstIndex(of: last))
    let twin = signed + "." + parts[2].dropLast() + String(alphabet[place + 1])
    #expect(forge.fault(of: twin) == .encoding)
  }

  @Test("A token inside a token is refused")
  func token_nested_isRefused() {
    let header = JSONValue.object(forge.header).text
    let nested = forge.token(headerText: header, claimsText: forge.token())
    #expect(forge.fault(of: nested) == .claims)
  }

  @Test("A token by a key that is no longer, or not yet, good is refused")
  func key_outsideItsTime_isRefused() {
    let now = forge.clock.now
    func fault(_ validity: ClosedRange<Int64>) -> TokenFault? {
      let keys = KeySet([forge.key.verificationKey], validities: [forge.key.id: validity])
      do throws(TokenFault) {
        _ = try forge.verifier.verify(forge.token(), keys: keys, now: now)
        return nil
      } catch {
        return error
      }
    }
    #expect(fault(now...(now + 600_000)) == nil)
    #expect(fault((now + 31_000)...(now + 900_000)) == .lifetime)
    #expect(fault(0...(now + 500_000)) == .lifetime)
  }
}
