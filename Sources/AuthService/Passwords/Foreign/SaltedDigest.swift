internal import ServiceKit

/// A digest of a password and its salt, as LDAP directories write it: `{SSHA256}` and base 64 of both.
///
/// So fast that anyone who has it can try a billion passwords a second. It is wrapped in our own hash as soon
/// as there is time (`HashWrapping`).
struct SaltedDigest: Hashable, Sendable {
  /// How it was made.
  let digest: KeyDerivation.Digest
  /// The salt, which follows the password.
  let salt: [UInt8]
  /// The digest.
  let value: [UInt8]

  private static let saltByteCounts = 4...64

  /// Reads a text; nil when it has not this form, and throws when it is one that is not accepted.
  init?(_ text: String) throws(ForeignHash.Objection) {
    guard text.hasPrefix("{"), let end = text.firstIndex(of: "}"),
      let digest = KeyDerivation.Digest(name: text[text.index(after: text.startIndex)..<end])
    else { return nil }
    guard let bytes = HashText.base64(text[text.index(after: end)...]),
      Self.saltByteCounts.contains(bytes.count - digest.byteCount)
    else { throw .unknown }
    self.digest = digest
    value = Array(bytes.prefix(digest.byteCount))
    salt = Array(bytes.dropFirst(digest.byteCount))
  }

  /// Whether a password is the hashed one; takes a microsecond.
  func matches(_ password: [UInt8]) -> Bool {
    Digests.areEqual(digest.of(password + salt), value)
  }
}

extension KeyDerivation.Digest {
  /// The digest of a name in braces.
  init?(name: Substring) {
    switch name {
    case "SSHA": self = .sha1
    case "SSHA256": self = .sha256
    case "SSHA512": self = .sha512
    default: return nil
    }
  }

  /// Its name in braces.
  var name: String {
    switch self {
    case .sha1: "SSHA"
    case .sha256: "SSHA256"
    case .sha512: "SSHA512"
    }
  }
}
