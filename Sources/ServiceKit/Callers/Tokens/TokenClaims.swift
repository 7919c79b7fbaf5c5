internal import StrictJSON

/// Reading claims with the rules that all our tokens share.
struct TokenClaims {
  /// How far the clocks of two machines may lie apart.
  static let skewMilliseconds: Int64 = 30_000

  /// How long after its end a token can be used, in milliseconds: for calls that are on their way, and for
  /// streams, which are looked at as often.
  ///
  /// One number for everything that ends with a token. It need not bridge clocks that differ: users renew a
  /// token that is refused, and services show one for half of its time.
  static let graceMilliseconds: Int64 = 3_000

  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// A claim that must be text of 1 to 256 bytes.
  func text(_ name: String) throws(TokenFault) -> String {
    guard let text = object[name]?.string, (1...256).contains(text.utf8.count) else {
      throw .claims
    }
    return text
  }

  /// A claim that may be missing.
  func optionalText(_ name: String) throws(TokenFault) -> String? {
    object[name] == nil ? nil : try text(name)
  }

  /// A claim that is a list of texts, or missing.
  func texts(_ name: String) throws(TokenFault) -> [String] {
    guard let value = object[name] else { return [] }
    guard let elements = value.array, elements.count <= 16 else { throw .claims }
    var texts: [String] = []
    for element in elements {
      guard let text = element.string, text.utf8.count <= 64 else { throw .claims }
      texts.append(text)
    }
    return texts
  }

  /// A time in whole seconds since 1970, here as milliseconds.
  func time(_ name: String) throws(TokenFault) -> Int64 {
    guard let time = try optionalTime(name) else { throw .claims }
    return time
  }

  /// A time that may be missing.
  func optionalTime(_ name: String) throws(TokenFault) -> Int64? {
    guard let value = object[name] else { return nil }
    // Beyond 2^53 readers differ in what they read (RFC 7493, section 2.2).
    guard let seconds = value.integer, (0...1 << 53).contains(seconds) else { throw .claims }
    return seconds.multipliedReportingOverflow(by: 1000).partialValue
  }

  /// Checks issuer and audience, the latter one text or a list (RFC 7519, section 4.1.3).
  func check(issuer: String, audience: String) throws(TokenFault) {
    guard object["iss"]?.string == issuer else { throw .issuer }
    switch object["aud"] {
    case .string(audience): return
    case .array(let audiences) where audiences.contains(.string(audience)): return
    default: throw .audience
    }
  }

  /// Checks `exp`, `nbf` and `iat` against the clock and one another; gives issue and expiry.
  func checkTimes(
    now: Int64,
    lifetimeMax: Int64,
    grace: Int64 = graceMilliseconds
  ) throws(TokenFault) -> (issued: Int64, expires: Int64) {
    let expires = try time("exp")
    let issued = try time("iat")
    guard now < expires.addingSaturated(grace) else { throw .expired }
    guard issued <= now + Self.skewMilliseconds else { throw .notYetValid }
    if let notBefore = try optionalTime("nbf"), notBefore > now + Self.skewMilliseconds {
      throw .notYetValid
    }
    guard expires > issued, expires - issued <= lifetimeMax else { throw .lifetime }
    return (issued, expires)
  }
}
