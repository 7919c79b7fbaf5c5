internal import ServiceKit

/// Passwords that came from other systems.
extension PasswordHasher {
  /// Whether a password is the one that the store has something of; without anything, the same work as
  /// with a record of our own, and no.
  func check(_ password: String, stored: StoredPassword?) throws -> Bool {
    let bytes = Array(password.utf8)
    switch stored {
    case nil: return try check(bytes, against: nil)
    case .own(let record): return try check(bytes, against: record)
    case .wrapped(let digest, let salt, let record):
      return try check(digest.of(bytes + salt), against: record)
    case .foreign(.salted(let digest)):
      // As much work as if it were wrapped already, so that nobody can time which accounts are not yet.
      _ = try check(bytes, against: nil)
      return digest.matches(bytes)
    case .foreign(let hash): return try hash.matches(bytes)
    }
  }

  /// Whether what the store has should be rehashed while the password is at hand.
  ///
  /// Not if the stored hash saw only the beginning of the password: what follows it may be wrong, and would be
  /// all that counts from then on.
  func isOutdated(_ stored: StoredPassword?, for password: String) -> Bool {
    switch stored {
    case nil: false
    case .own(let record): isOutdated(record)
    case .wrapped: true
    case .foreign(let hash): hash.seesAll(of: Array(password.utf8))
    }
  }

  /// What the store has of a fast digest from then on.
  func wrapped(_ digest: SaltedDigest) throws -> String {
    StoredPassword.text(of: try record(of: digest.value), wrapping: digest)
  }
}
