internal import ServiceKit

/// The documents by which libraries and gateways verify access tokens by themselves.
enum KeyDocuments {
  static let keysPath = "/.well-known/jwks.json"
  /// RFC 8414 section 3 has another place for servers without OpenID Connect, but this is where tools look.
  static let discoveryPath = "/.well-known/openid-configuration"

  /// The public keys, and where they are if the issuer is a URL: only then can anybody find them by it.
  static func all(of ring: SigningKeyRing, issuer: String) -> [ServedDocument] {
    let keys = ServedDocument(path: keysPath, contentType: "application/jwk-set+json") {
      ring.published.jwks
    }
    guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else { return [keys] }
    let discovery = discovery(issuer: issuer)
    return [keys, ServedDocument(path: discoveryPath) { discovery }]
  }

  /// Metadata of RFC 8414: the issuer as tokens have it, byte for byte, and where its keys are.
  ///
  /// There is no authorization endpoint, so no grant and no response type is supported.
  static func discovery(issuer: String) -> String {
    let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    return JSONValue.object([
      "issuer": .string(issuer),
      "jwks_uri": .string(base + keysPath),
      "response_types_supported": .array([]),
      "grant_types_supported": .array([]),
      "subject_types_supported": .array([.string("public")]),
      "id_token_signing_alg_values_supported": .array([.string(VerificationKey.algorithm)]),
    ]).text
  }
}
