public import StrictJSON

/// Why bytes are not a key.
public enum KeyError: Error, Hashable, Sendable {
  /// They cannot be read at all, or describe a point that is not on the curve.
  case malformed
  /// They are a key of another algorithm or curve than ECDSA on P-256.
  case otherKind
}

/// A private key that signs tokens with ES256: ECDSA on P-256 with SHA-256.
public struct SigningKey: Sendable {
  private let key: EllipticCurveKey
  /// The key that verifies its signatures, and names it.
  public let verificationKey: VerificationKey

  /// The name of the key; see `VerificationKey.id`.
  public var id: String { verificationKey.id }

  private init(_ key: EllipticCurveKey) {
    self.key = key
    verificationKey = VerificationKey(key)
  }

  /// A new key.
  public static func generate() -> SigningKey { SigningKey(EllipticCurveKey.generate()) }

  /// Reads a private key in PEM without passphrase, as `openssl ecparam -genkey -name prime256v1`
  /// or `openssl genpkey` write it.
  public init(pem: [UInt8]) throws(KeyError) {
    self.init(try EllipticCurveKey(pem: pem, isPrivate: true))
  }

  /// Reads what `privateBytes` gave.
  public init(privateBytes: [UInt8]) throws(KeyError) {
    self.init(try EllipticCurveKey(privateBytes: privateBytes))
  }

  /// The private key in DER, for sealed storage only.
  public var privateBytes: [UInt8] { key.privateBytes }

  /// The private key in PEM, for a file that only its service may read.
  public var pem: String { key.privatePEM }

  /// r and s one after the other: 64 bytes.
  public func sign(_ message: [UInt8]) -> [UInt8] {
    key.sign(digest: Digests.sha256(message)).raw
  }
}

/// A public key that verifies tokens signed with ES256.
///
/// It carries its algorithm: what a token's header says of its own never decides how it is checked
/// (RFC 8725, section 3.1).
public struct VerificationKey: Sendable, Hashable {
  private let key: EllipticCurveKey
  private let point: [UInt8]
  /// The name of the key in tokens and key sets: its SHA-256 thumbprint (RFC 7638), 43 bytes.
  public let id: String

  /// The algorithm, as tokens and key sets name it.
  public static let algorithm = "ES256"

  init(_ key: EllipticCurveKey) {
    self.key = key
    point = key.point
    let members = Self.members(of: point)
    // Section 3: the required members alone, sorted by name, without spaces.
    let text = #"{"crv":"P-256","kty":"EC","x":"\#(members.x)","y":"\#(members.y)"}"#
    id = Base64URL.encode(Digests.sha256(text))
  }

  /// Reads a public key in PEM, as `openssl pkey -pubout` writes it.
  public init(pem: [UInt8]) throws(KeyError) {
    self.init(try EllipticCurveKey(pem: pem, isPrivate: false))
  }

  /// Reads a key of a key set (RFC 7517): `kty` EC, `crv` P-256, and if they are there `use` sig,
  /// `alg` ES256 and a `kid` that is the key's thumbprint.
  public init(jwk: JSONObject) throws(KeyError) {
    guard jwk["kty"]?.string == "EC", jwk["crv"]?.string == "P-256",
      jwk["use"] == nil || jwk["use"]?.string == "sig",
      jwk["alg"] == nil || jwk["alg"]?.string == Self.algorithm
    else { throw KeyError.otherKind }
    guard let x = Self.coordinate(jwk["x"]), let y = Self.coordinate(jwk["y"]) else {
      throw KeyError.malformed
    }
    self.init(try EllipticCurveKey(point: [4] + x + y))
    guard jwk["kid"] == nil || jwk["kid"]?.string == id else { throw KeyError.malformed }
  }

  /// Reads a key from the coordinates of its point, 32 bytes each.
  public init(x: [UInt8], y: [UInt8]) throws(KeyError) {
    guard x.count == 32, y.count == 32 else { throw KeyError.malformed }
    self.init(try EllipticCurveKey(point: [4] + x + y))
  }

  /// The point's x, 32 bytes.
  public var x: [UInt8] { Array(point[1..<33]) }

  /// The point's y, 32 bytes.
  public var y: [UInt8] { Array(point[33..<65]) }

  /// The key as a member of a key set.
  public var jwk: JSONObject {
    let members = Self.members(of: point)
    return [
      "kty": "EC", "crv": "P-256", "use": "sig", "alg": .string(Self.algorithm),
      "kid": .string(id), "x": .string(members.x), "y": .string(members.y),
    ]
  }

  /// The key in PEM.
  public var pem: String { key.publicPEM }

  /// Whether `signature`, 64 bytes of r and s, is this key's of `message`.
  public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let signature = ECDSASignature(raw: signature) else { return false }
    return key.verify(signature, digest: Digests.sha256(message))
  }

  /// Whether both are the same point.
  public static func == (left: VerificationKey, right: VerificationKey) -> Bool {
    left.point == right.point
  }

  /// Hashes the point.
  public func hash(into hasher: inout Hasher) { hasher.combine(point) }

  private static func members(of point: [UInt8]) -> (x: String, y: String) {
    (Base64URL.encode(Array(point[1..<33])), Base64URL.encode(Array(point[33..<65])))
  }

  /// Exactly 32 bytes (RFC 7518, section 6.2.1.2).
  private static func coordinate(_ value: JSONValue?) -> [UInt8]? {
    guard let text = value?.string, let bytes = Base64URL.decode(text), bytes.count == 32 else {
      return nil
    }
    return bytes
  }
}
