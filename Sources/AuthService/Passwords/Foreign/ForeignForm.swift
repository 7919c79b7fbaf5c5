internal import ServiceKit

/// How an imported hash was made, and with which parameters: all that its work depends on.
///
/// Its text is a hash of that form that is no password's, with a salt and a hash of zeros: so a decoy can be made of
/// what the store remembers, which has nothing of anybody's hash.
struct ForeignForm: Hashable, Sendable {
  /// The decoy.
  let text: String
  private let decoy: ForeignHash

  /// Reads the text of a form; nil when it is none.
  init?(_ text: String) {
    guard let decoy = try? ForeignHash(text), decoy.formText == text else { return nil }
    (self.text, self.decoy) = (text, decoy)
  }

  /// Computes such a hash of a password.
  func compute(_ password: [UInt8]) throws { _ = try decoy.matches(password) }
}

extension ForeignHash {
  /// Its form; nil for a fast digest, which takes no time.
  var form: ForeignForm? { formText.flatMap { ForeignForm($0) } }

  /// The text of its form; nil for a fast digest.
  var formText: String? {
    switch self {
    case .crypt(let hash): hash.formText
    case .argon2id(let text):
      // `$argon2id$v=19$m=…,t=…,p=1$SALT$TAG`
      text.dollarParts.prefix(4).joined(separator: "$")
        + "$\(zeros("A", 22))$\(zeros("A", 43))"
    case .pbkdf2(let hash): hash.formText
    case .firebase(let hash): hash.formText
    case .salted: nil
    }
  }
}

/// As many letters that stand for zeros.
private func zeros(_ letter: String, _ count: Int) -> String {
  String(repeating: letter, count: count)
}

extension CryptHash {
  fileprivate var formText: String {
    let parts = text.dollarParts
    let (salt, hash) = (zeros(".", 22), zeros(".", 43))
    return switch parts[1] {
    // Whichever letter it has, the work is the same.
    case "2a", "2b", "2y": "$2b$\(parts[2])$\(zeros(".", 53))"
    case "5", "6":
      "$\(parts[1])$rounds=\(rounds)$\(zeros(".", 16))$\(zeros(".", parts[1] == "5" ? 43 : 86))"
    case "7": "$7$\(parts[2].prefix(11))\(salt)$\(hash)"
    default: "$\(parts[1])$\(parts[2])$\(salt)$\(hash)"
    }
  }

  /// Rounds of SHA-crypt.
  private var rounds: Substring {
    let rounds = text.dollarParts[2]
    return rounds.hasPrefix("rounds=") ? rounds.dropFirst("rounds=".count) : "5000"
  }
}

extension PBKDF2Hash {
  /// As ASP.NET writes it, which can say all that there is.
  fileprivate var formText: String? {
    let digests: [KeyDerivation.Digest] = [.sha1, .sha256, .sha512]
    guard let index = digests.firstIndex(of: digest) else { return nil }
    let numbers = [UInt32(index), UInt32(clamping: iterations), 16]
    let head = numbers.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    return Base64URL.encode([1] + head + [UInt8](repeating: 0, count: 16 + key.count))
  }
}

extension FirebaseHash {
  fileprivate var formText: String {
    let (salt, key) = (zeros("A", 11), zeros("A", 86))
    return "$fbscrypt$v=1,n=\(logarithm),r=\(blocks),p=1,ss=,sk=\(key)$\(salt)$\(key)"
  }
}
