public import StrictJSON
internal import TextEncodings

/// A signed token in its compact form (RFC 7515, section 3.1), taken apart but not yet accepted.
///
/// Parsing accepts only what our own issuers write, and refuses everything else before any
/// cryptography: RFC 8725 lists what libraries that accept more have cost. Of tokens of identity providers it
/// accepts what OpenID Connect allows (`Format.foreign`); what they say of keys is not followed.
public struct JSONWebToken: Sendable {
  /// Names the key that should have signed; empty if a provider's token does not say.
  public let keyID: String
  /// How it claims to be signed: one of those that its format allows.
  package let algorithm: String
  /// The type of the token, without `application/` and in lower case: `at+jwt`; empty if it does not say.
  public let type: String
  /// The claims.
  public let claims: JSONObject
  /// The signed bytes: header, dot, claims.
  let signedBytes: [UInt8]
  /// The signature: 64 bytes of r and s if it is well formed.
  let signature: [UInt8]

  /// Bytes of a token, at most.
  public static let byteCountMax = 8 * 1024

  /// The format of an issuer's tokens.
  package struct Format: Sendable {
    /// The algorithms that they may be signed with.
    package var algorithms: [String]
    /// Bytes of a token, at most.
    package var byteCountMax: Int
    /// Whether the issuer is one of ours, whose tokens say what they are for and name keys by thumbprints.
    package var isOurs: Bool
    /// Values of its header or claims, at most.
    fileprivate var valueCountMax: Int { isOurs ? 256 : 4096 }

    /// Tokens of our own, made once: every call has one.
    static let ours = signed(by: VerificationKey.algorithm)

    static func signed(by algorithm: String) -> Format {
      Format(algorithms: [algorithm], byteCountMax: JSONWebToken.byteCountMax, isOurs: true)
    }

    /// Tokens of an identity provider: up to 16 KiB, with any key name of up to 256 bytes or none.
    ///
    /// Members that are null are as absent, and what the header says of keys and content is ignored.
    package static func foreign(algorithms: [String]) -> Format {
      Format(algorithms: algorithms, byteCountMax: 16 * 1024, isOurs: false)
    }
  }

  /// Parses a token whose algorithm must be `algorithm`.
  public init(
    parsing text: String,
    algorithm: String = VerificationKey.algorithm
  ) throws(TokenFault) {
    let isUsual = algorithm == VerificationKey.algorithm
    try self.init(parsing: text, isUsual ? .ours : .signed(by: algorithm))
  }

  /// Parses a token of a format.
  package init(parsing text: String, _ format: Format) throws(TokenFault) {
    let bytes = Array(text.utf8)
    guard bytes.count <= format.byteCountMax else { throw .tooLong }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // Five parts are an encrypted token (RFC 7516), which nobody issues here.
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
      let headerBytes = Base64URL.decode(parts[0]),
      let claimBytes = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .encoding }
    let header = try Self.object(headerBytes, format, orThrow: .header)
    algorithm = try Self.algorithm(of: header, format.algorithms)
    try Self.check(header, isOurs: format.isOurs)
    keyID = try Self.keyID(of: header, isOurs: format.isOurs)
    type = try Self.type(of: header, isRequired: format.isOurs)
    claims = try Self.object(claimBytes, format, orThrow: .claims)
    self.signature = signature
    signedBytes = Array(bytes[..<parts[2].startIndex].dropLast())
  }

  /// Whether `key` signed this token.
  public func isSigned(by key: VerificationKey) -> Bool {
    key.verify(signature, of: signedBytes)
  }

  /// Whether `key` signed this token.
  package func isSigned(by key: RSAVerificationKey) -> Bool {
    key.verify(signature, of: signedBytes)
  }

  /// A token of a type with claims, signed by `key`.
  public static func signed(type: String, claims: JSONObject, by key: SigningKey) -> String {
    let header: JSONObject = [
      "alg": .string(VerificationKey.algorithm), "kid": .string(key.id), "typ": .string(type),
    ]
    let signed = [header, claims].map { object in
      Base64URL.encode(JSONValue.object(object).bytes)
    }.joined(separator: ".")
    return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
  }

  private static func object(
    _ bytes: [UInt8],
    _ format: Format,
    orThrow fault: TokenFault
  ) throws(TokenFault) -> JSONObject {
    // Each part of a token is shorter than the token, whose length was looked at.
    let limits = JSONLimits(
      byteCountMax: bytes.count,
      depthMax: 8,
      valueCountMax: format.valueCountMax
    )
    do {
      guard let object = try JSONReader.read(bytes, limits: limits).object else { throw fault }
      return format.isOurs ? object : object.withoutNulls
    } catch {
      throw fault
    }
  }

  private static func algorithm(
    of header: JSONObject,
    _ allowed: [String]
  ) throws(TokenFault) -> String {
    // The key decides how a signature is checked; the header may only agree (RFC 8725, 3.1).
    guard let algorithm = header["alg"]?.string, allowed.contains(algorithm) else {
      throw .algorithm
    }
    return algorithm
  }

  private static func check(_ header: JSONObject, isOurs: Bool) throws(TokenFault) {
    // `crit` names extensions, and none is understood here. The others change what the parts mean.
    for name in ["crit", "b64", "zip", "enc"] where header[name] != nil { throw .extensions }
    // Where a provider's key is to be found is for settings to say, whatever a header says.
    guard isOurs else { return }
    for name in ["jku", "jwk", "x5u", "x5c"] where header[name] != nil { throw .embeddedKey }
    guard header["cty"] == nil else { throw .extensions }
  }

  private static func keyID(of header: JSONObject, isOurs: Bool) throws(TokenFault) -> String {
    guard isOurs else {
      guard let member = header["kid"] else { return "" }
      guard let keyID = member.string, (1...256).contains(keyID.utf8.count) else {
        throw .keyIdentifier
      }
      return keyID
    }
    guard let keyID = header["kid"]?.string, (1...64).contains(keyID.utf8.count),
      keyID.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_".utf8.contains($0) })
    else { throw .keyIdentifier }
    return keyID
  }

  private static func type(
    of header: JSONObject,
    isRequired: Bool
  ) throws(TokenFault) -> String {
    if !isRequired, header["typ"] == nil { return "" }
    guard let type = header["typ"]?.string else { throw .type }
    let lower = type.lowercased()
    // RFC 7515, section 4.1.9: the prefix may be left out.
    return lower.hasPrefix("application/") ? String(lower.dropFirst(12)) : lower
  }
}
