internal import RPCKit

/// Reads the keys with which services prove themselves.
enum ServiceKeyFiles {
  /// Longest file, in bytes.
  private static let byteCountMax = 64 << 10

  /// A file with a private key; throws with the path.
  static func signingKey(_ path: String) throws(ConfigurationError) -> SigningKey {
    let bytes = try read(path)
    do {
      return try SigningKey(pem: bytes)
    } catch {
      throw ConfigurationError("\(path) is not an ES256 private key in PEM")
    }
  }

  /// A file with public keys, one after the other: the old and the new one while they change.
  static func keys(_ path: String) throws(ConfigurationError) -> [VerificationKey] {
    let bytes = try read(path)
    do {
      return try VerificationKey.all(pem: bytes)
    } catch {
      throw ConfigurationError("\(path) must hold 1 to 8 ES256 public keys in PEM")
    }
  }

  private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
    do {
      return try FileBytes.read(path, byteCountMax: byteCountMax)
    } catch {
      throw ConfigurationError(error.description)
    }
  }
}

extension VerificationKey {
  /// Public keys in PEM, one after the other, at least one and at most eight.
  ///
  /// Text between them is passed over (RFC 7468, section 2).
  package static func all(pem: [UInt8]) throws(KeyError) -> [VerificationKey] {
    let mark = "-----END PUBLIC KEY-----"
    var keys: [VerificationKey] = []
    var rest = String(decoding: pem, as: UTF8.self)[...]
    while let end = rest.firstRange(of: mark) {
      keys.append(try VerificationKey(pem: Array(rest[..<end.upperBound].utf8)))
      rest = rest[end.upperBound...]
    }
    // What has begun must end: half a file is no reason to trust half the keys.
    guard (1...8).contains(keys.count), rest.firstRange(of: "-----BEGIN") == nil else {
      throw KeyError.malformed
    }
    return keys
  }
}
