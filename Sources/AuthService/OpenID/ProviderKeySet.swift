internal import ServiceKit

/// A public key of an identity provider; it carries its algorithm, whatever a token says.
enum ProviderKey: Sendable {
  case es256(VerificationKey)
  case rs256(RSAVerificationKey)

  /// The algorithm, as tokens and key sets name it.
  var algorithm: String {
    switch self {
    case .es256: VerificationKey.algorithm
    case .rs256: RSAVerificationKey.algorithm
    }
  }

  /// Whether a token is signed by this key, with the algorithm that it names.
  func signed(_ token: JSONWebToken) -> Bool {
    guard token.algorithm == algorithm else { return false }
    return switch self {
    case .es256(let key): token.isSigned(by: key)
    case .rs256(let key): token.isSigned(by: key)
    }
  }
}

/// The public keys of an identity provider, by the names that it gives them (RFC 7517).
struct ProviderKeySet: Sendable {
  private let keys: [String: ProviderKey]

  /// Bytes of a key set, at most.
  static let byteCountMax = 64 * 1024
  /// Keys of a set that are looked at.
  private static let keyCountMax = 100

  /// The names of all keys.
  var ids: Set<String> { Set(keys.keys) }

  /// The key of a name.
  subscript(id: String) -> ProviderKey? { keys[id] }

  /// Reads a key set.
  ///
  /// What is no key of ours is left out, as RFC 7517, section 5, asks: one bad entry must not lock everybody
  /// out. Throws when nothing is left.
  init(json: [UInt8]) throws(JSONDecodingError) {
    let value: JSONValue
    do {
      value = try JSONReader.read(
        json,
        limits: JSONLimits(byteCountMax: Self.byteCountMax, depthMax: 8)
      )
    } catch {
      throw JSONDecodingError(path: "", problem: "\(error)")
    }
    // Providers put other things beside the keys.
    guard let entries = value.object?["keys"]?.array, entries.count <= Self.keyCountMax else {
      throw JSONDecodingError(path: "keys", problem: "not a list of up to \(Self.keyCountMax) keys")
    }
    let named = entries.compactMap { $0.object.flatMap(Self.key) }
    // Of two with one name neither can be relied on more; the first is what most readers take.
    keys = Dictionary(named) { first, _ in first }
    guard !keys.isEmpty else {
      throw JSONDecodingError(path: "keys", problem: "no key for signatures by RS256 or ES256")
    }
  }

  private static func key(_ jwk: JSONObject) -> (String, ProviderKey)? {
    guard let id = jwk["kid"]?.string, (1...128).contains(id.utf8.count),
      jwk["use"] == nil || jwk["use"]?.string == "sig",
      jwk["key_ops"] == nil || jwk["key_ops"]?.array?.contains("verify") == true
    else { return nil }
    func number(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64URL.decode($0) } }
    let algorithm = jwk["alg"]?.string
    // A key that does not fit is left out; what is left may be all that is needed.
    switch jwk["kty"]?.string {
    case "RSA" where algorithm == nil || algorithm == RSAVerificationKey.algorithm:
      guard let modulus = number("n"), let exponent = number("e"),
        let key = try? RSAVerificationKey(modulus: modulus, exponent: exponent)
      else { return nil }
      return (id, .rs256(key))
    case "EC" where algorithm == nil || algorithm == VerificationKey.algorithm:
      guard jwk["crv"]?.string == "P-256", let x = number("x"), let y = number("y"),
        let key = try? VerificationKey(x: x, y: y)
      else { return nil }
      return (id, .es256(key))
    default: return nil
    }
  }
}
