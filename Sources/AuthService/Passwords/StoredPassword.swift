internal import ServiceKit

/// The stored form of an account's password, as text.
///
/// | Text | What |
/// |---|---|
/// | `1:$argon2id$…` | a record of our own, with the number of its pepper in front |
/// | `1:{SSHA256}SALT$argon2id$…` | a record of our own of another system's fast digest, whose salt it keeps |
/// | `foreign:SEALED` | a hash of another system |
/// | `fast:SEALED` | a fast digest of another system that is yet to be wrapped in a record of our own |
///
/// Hashes of other systems are sealed for their account, so that a stolen store is as useless for guessing them as
/// it is for our own, which have a pepper. All but the first are made anew when their owner signs in.
enum StoredPassword: Hashable, Sendable {
  /// A record of our own.
  case own(PasswordRecord)
  /// A record of our own of the digest that a foreign one would have.
  case wrapped(KeyDerivation.Digest, salt: [UInt8], PasswordRecord)
  /// A hash of another system.
  case foreign(ForeignHash)

  static let foreignPrefix = "foreign:"
  static let fastPrefix = "fast:"

  /// Reads the store's text; nil when it is none of the forms, or was not sealed for this account.
  init?(_ text: String, of userID: String, _ sealing: SealingKey) {
    // Almost all are, and each sign-in reads one.
    if let record = PasswordRecord(text) {
      self = .own(record)
    } else if text.hasPrefix(Self.foreignPrefix) || text.hasPrefix(Self.fastPrefix) {
      guard let colon = text.firstIndex(of: ":"),
        let sealed = Base64URL.decode(String(text[text.index(after: colon)...])),
        // A sealing key that was replaced; the owner asks for a reset.
        let opened = try? sealing.open(sealed, for: Self.purpose(userID)),
        // An older version of the program may have accepted what this one does not.
        let hash = try? ForeignHash(String(decoding: opened, as: UTF8.self))
      else { return nil }
      self = .foreign(hash)
    } else {
      guard let wrapped = Self.wrapped(text) else { return nil }
      self = wrapped
    }
  }

  private static func wrapped(_ text: String) -> StoredPassword? {
    guard let open = text.firstIndex(of: "{"), let close = text.firstIndex(of: "}"), open < close,
      let dollar = text.firstIndex(of: "$"), close < dollar,
      let digest = KeyDerivation.Digest(name: text[text.index(after: open)..<close]),
      let salt = Base64URL.decode(String(text[text.index(after: close)..<dollar])),
      let record = PasswordRecord(String(text[..<open] + text[dollar...]))
    else { return nil }
    return .wrapped(digest, salt: salt, record)
  }

  /// The text of a hash of another system, for the store.
  static func text(
    of hash: String,
    isFast: Bool,
    for userID: String,
    _ sealing: SealingKey,
    random: any RandomSource
  ) -> String {
    let sealed = sealing.seal(Array(hash.utf8), for: purpose(userID), random: random)
    return (isFast ? fastPrefix : foreignPrefix) + Base64URL.encode(sealed)
  }

  /// The text of a record that wraps a fast digest, for the store.
  static func text(of record: PasswordRecord, wrapping digest: SaltedDigest) -> String {
    let own = record.text
    let colon = own.firstIndex(of: ":") ?? own.startIndex
    let name = "{\(digest.digest.name)}\(Base64URL.encode(digest.salt))"
    return "\(own[...colon])\(name)\(own[own.index(after: colon)...])"
  }

  private static func purpose(_ userID: String) -> String { "foreign password \(userID)" }
}
