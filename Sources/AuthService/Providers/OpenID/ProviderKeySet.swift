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

/// The public keys of an identity provider, with the names that it gives them (RFC 7517).
struct ProviderKeySet: Sendable {
  /// A key, and its name if it has one.
  private struct Entry: Sendable {
    let id: String?
    let key: ProviderKey
  }

  private let entries: [Entry]

  /// Bytes of a key set, at most.
  static let byteCountMax = 64 * 1024
  /// Keys of a set that are looked at.
  private static let keyCountMax = 100
  private static let idByteCountMax = 256
  private static let curveByteCount = 32

  /// The names of all keys.
  var ids: Set<String> { Set(entries.compactMap(\.id)) }

  /// The key that a token may be signed with: the one of the name, which several of different algorithms may
  /// have, or for a token that names none the only one of the algorithm (OpenID Connect Core 1.0, section 10.1).
  subscript(name: TokenKeyName) -> ProviderKey? {
    let fitting = entries.filter { $0.key.algorithm == name.algorithm }
    // Of two with one name neither can be relied on more; the first is what most readers take.
    if !name.id.isEmpty { return fitting.first { $0.id == name.id }?.key }
    return fitting.count == 1 ? fitting[0].key : nil
  }

  /// Whether newer keys can change nothing about a key that is not there: its name is that of a key of
  /// another algorithm, or there are several that a token without a name may mean.
  func contradicts(_ name: TokenKeyName) -> Bool {
    name.id.isEmpty
      ? entries.filter { $0.key.algorithm == name.algorithm }.count > 1
      : entries.contains { $0.id == name.id && $0.key.algorithm != name.algorithm }
  }

  /// Reads a key set.
  ///
  /// What is no key of ours is left out, as RFC 7517, section 5, asks: one bad entry must not lock everybody
  /// out. Members that are null are as absent. Throws when nothing is left.
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
    guard let listed = value.object?["keys"]?.array, listed.count <= Self.keyCountMax else {
      throw JSONDecodingError(path: "keys", problem: "not a list of up to \(Self.keyCountMax) keys")
    }
    entries = listed.compactMap { $0.object.flatMap { Self.entry($0.withoutNulls) } }
    guard !entries.isEmpty else {
      throw JSONDecodingError(path: "keys", problem: "no key for signatures by RS256 or ES256")
    }
  }

  private static func entry(_ jwk: JSONObject) -> Entry? {
    guard jwk["use"] == nil || jwk["use"]?.string == "sig",
      jwk["key_ops"] == nil || jwk["key_ops"]?.array?.contains("verify") == true,
      jwk["kid"] == nil || jwk["kid"]?.string.map({ $0.utf8.count <= idByteCountMax }) == true,
      let key = key(jwk)
    else { return nil }
    // An empty name names nothing.
    return Entry(id: jwk["kid"]?.string.flatMap { $0.isEmpty ? nil : $0 }, key: key)
  }

  private static func key(_ jwk: JSONObject) -> ProviderKey? {
    let algorithm = jwk["alg"]?.string
    guard algorithm != nil || jwk["alg"] == nil else { return nil }
    // A key that does not fit is left out; what is left may be all that is needed.
    switch jwk["kty"]?.string {
    case "RSA" where algorithm == nil || algorithm == RSAVerificationKey.algorithm:
      guard let modulus = number("n", of: jwk), let exponent = number("e", of: jwk),
        let key = try? RSAVerificationKey(modulus: modulus, exponent: exponent)
      else { return nil }
      return .rs256(key)
    case "EC" where algorithm == nil || algorithm == VerificationKey.algorithm:
      guard jwk["crv"]?.string == "P-256", let x = coordinate("x", of: jwk),
        let y = coordinate("y", of: jwk), let key = try? VerificationKey(x: x, y: y)
      else { return nil }
      return .es256(key)
    default: return nil
    }
  }

  /// A number without leading zeros, which libraries write although RFC 7518, section 2, has none.
  private static func number(_ name: String, of jwk: JSONObject) -> [UInt8]? {
    let bytes = jwk[name]?.string.flatMap(Base64URL.decodeAllowingPadding)
    return bytes.map { Array($0.drop { $0 == 0 }) }
  }

  /// A number of as many bytes as a coordinate has, whether zeros were written in front of it or not.
  private static func coordinate(_ name: String, of jwk: JSONObject) -> [UInt8]? {
    guard let digits = number(name, of: jwk), digits.count <= curveByteCount else { return nil }
    return [UInt8](repeating: 0, count: curveByteCount - digits.count) + digits
  }
}

/// How a token says which key signed it.
struct TokenKeyName: Hashable, Sendable {
  /// The name of the key; empty without one.
  let id: String
  /// The algorithm.
  let algorithm: String
}
