internal import ServiceKit

/// The public key of a passkey, as COSE encodes it (RFC 9053, RFC 8230).
///
/// Kinds and algorithms are looked at together: a key of one kind that names another's algorithm is
/// none. A label that does not belong is refused, so that a key has one spelling.
struct PasskeyKey: Hashable, Sendable {
  /// The algorithms of passkeys, by the numbers of COSE, in the order in which they are offered.
  enum Algorithm: Int64, CaseIterable, Sendable {
    case ed25519 = -8
    case es256 = -7
    case rs256 = -257
  }

  /// The algorithm it signs with.
  let algorithm: Algorithm
  /// Its numbers.
  let key: RawPublicKey

  /// Reads a key; throws `key` for one of another kind, of another size, or off the curve.
  init(_ value: CBORValue) throws(PasskeyFault) {
    guard let map = value.map, let algorithm = map[3]?.integer.flatMap({ Algorithm(rawValue: $0) })
    else {
      throw .key
    }
    self.algorithm = algorithm
    // 1: kind of key; -1, -2, -3: what the kind defines.
    switch algorithm {
    case .es256:
      guard map.members.count == 5, map[1]?.integer == 2, map[-1]?.integer == 1,
        let x = map[-2]?.bytes, let y = map[-3]?.bytes
      else { throw .key }
      key = .p256(x: x, y: y)
    case .rs256:
      guard map.members.count == 4, map[1]?.integer == 3, let modulus = map[-1]?.bytes,
        let exponent = map[-2]?.bytes
      else { throw .key }
      key = .rsa(modulus: modulus, exponent: exponent)
    case .ed25519:
      guard map.members.count == 4, map[1]?.integer == 1, map[-1]?.integer == 6,
        let bytes = map[-2]?.bytes
      else { throw .key }
      key = .ed25519(bytes)
    }
    do {
      try key.check()
    } catch {
      throw .key
    }
  }

  /// A key on P-256.
  init(_ key: VerificationKey) {
    algorithm = .es256
    self.key = .p256(x: key.x, y: key.y)
  }

  /// Reads the bytes of a key.
  init(encoded: [UInt8]) throws(PasskeyFault) {
    try self.init(try CBORReader.read(encoded))
  }

  /// Returns when `signature` is this key's of `message`, and throws otherwise.
  func verify(_ signature: [UInt8], of message: [UInt8]) throws(PasskeyFault) {
    do {
      try key.verify(signature, of: message)
    } catch {
      throw .signature
    }
  }
}
