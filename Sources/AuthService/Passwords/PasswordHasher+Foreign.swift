internal import ServiceKit

/// Passwords that came from other systems.
extension PasswordHasher {
  /// Whether a password is the one that the store has something of; without anything, no.
  ///
  /// Unless it is right and `sparesRight`, it takes all of `work`, whatever the store has: who is refused learns
  /// nothing from how long it took. The answer shows a right one anyway.
  func check(
    _ password: String,
    stored: StoredPassword?,
    _ work: PasswordWork,
    sparesRight: Bool
  ) throws -> Bool {
    let bytes = Array(password.utf8)
    let isRight =
      switch stored {
      case nil: false
      case .own(let record): try matches(bytes, record)
      case .wrapped(let digest, let salt, let record): try matches(digest.of(bytes + salt), record)
      case .foreign(let hash): try matches(bytes, hash)
      }
    if isRight, sparesRight { return true }
    try compute(work.rest(after: stored?.step), of: bytes)
    return isRight
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

  /// The stored form of a fast digest from then on.
  func wrapped(_ digest: SaltedDigest) throws -> String {
    StoredPassword.text(of: try record(of: digest.value), wrapping: digest)
  }
}
