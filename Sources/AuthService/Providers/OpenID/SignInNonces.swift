internal import ServiceKit

/// The nonces that tie an identity token to the one who asked for it: given out here, used once.
///
/// A nonce is `version ‖ time ‖ random ‖ HMAC`, the HMAC over what it is good for too. So nothing is stored
/// for those who only ask, which anybody may; the store has the digests of those that were used, until they
/// end.
struct SignInNonces: Sendable {
  /// The one purpose of a nonce.
  enum Purpose: Hashable, Sendable {
    /// Signing in with a provider.
    case signIn(provider: String)
    /// Linking an identity of a provider to the account of a session.
    case link(provider: String, session: String)

    fileprivate var bytes: [UInt8] {
      switch self {
      case .signIn(let provider): Array("sign-in \(provider)\n".utf8)
      case .link(let provider, let session): Array("link \(provider) \(session)\n".utf8)
      }
    }
  }

  /// A nonce that was given out here for its purpose, and has not ended.
  struct Authentic: Hashable, Sendable {
    /// The digest it is remembered by once it was used.
    let digest: [UInt8]
    /// When it ends, in milliseconds since 1970.
    let expires: Int64
  }

  /// How long a nonce works, in milliseconds.
  static let lifetime: Int64 = 10 * 60_000

  private static let version: UInt8 = 1
  private static let randomByteCount = 32
  private static let macByteCount = 32
  /// Version and time.
  private static let headByteCount = 9

  private let key: HMACKey

  /// Makes nonces under a key of their own, derived from `secret`.
  init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of sign-in nonces".utf8)))
  }

  /// A new nonce; `now` is in milliseconds since 1970.
  func make(for purpose: Purpose, now: Int64, _ random: any RandomSource) -> String {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - 8 * $0)) }
    let body = [Self.version] + time + random.bytes(Self.randomByteCount)
    return Base64URL.encode(body + mac(body, purpose))
  }

  /// Reads a nonce; nil for every text that was not made for this purpose in the last ten minutes.
  func read(_ text: String, for purpose: Purpose, now: Int64) -> Authentic? {
    guard text.utf8.count <= 128, let bytes = Base64URL.decode(text),
      bytes.count == Self.headByteCount + Self.randomByteCount + Self.macByteCount,
      bytes[0] == Self.version
    else { return nil }
    let body = Array(bytes.dropLast(Self.macByteCount))
    guard Digests.areEqual(mac(body, purpose), Array(bytes.suffix(Self.macByteCount))) else {
      return nil
    }
    let time = body[1..<Self.headByteCount].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let expires = time.addingSaturated(Self.lifetime)
    // One of the future is from before the clock was set back, and may have been used and forgotten.
    guard time <= now.addingSaturated(IdentityClaims.skew), now < expires else { return nil }
    return Authentic(digest: Digests.sha256(body), expires: expires)
  }

  /// The nonce that a provider's token must have for the one that was given out.
  static func expected(of raw: String, _ form: IdentityProvider.NonceForm) -> String {
    switch form {
    case .plain: raw
    case .sha256:
      Digests.sha256(raw).map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
    }
  }

  private func mac(_ body: [UInt8], _ purpose: Purpose) -> [UInt8] {
    key.code(of: purpose.bytes + body)
  }
}
