internal import ServiceKit

/// A code that takes the place of an authenticator app once.
///
/// Ten letters and digits of Crockford's base 32, which are 50 random bits.
struct RecoveryCode: Hashable, Sendable {
  /// In lower case, with nothing in between.
  let text: String

  /// How many an account gets.
  static let count = 10
  /// How many are left when their owner is warned.
  static let fewCount = 3

  private static let letterCount = 10
  private static let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// A new one.
  init(_ random: any RandomSource) {
    // 32 letters: five bits of each byte are as random as the byte.
    let letters = random.bytes(Self.letterCount).map { Self.alphabet[Int($0 & 31)] }
    text = String(decoding: letters, as: UTF8.self)
  }

  /// Reads a code as typed: in any case, with spaces and hyphens, and with letters that look like a digit.
  ///
  /// Nil for what can be none.
  init?(typed: String) {
    var letters: [UInt8] = []
    for byte in typed.utf8 {
      let letter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      switch letter {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "o"): letters.append(UInt8(ascii: "0"))
      case UInt8(ascii: "i"), UInt8(ascii: "l"): letters.append(UInt8(ascii: "1"))
      case _ where Self.alphabet.contains(letter): letters.append(letter)
      default: return nil
      }
    }
    guard letters.count == Self.letterCount else { return nil }
    text = String(decoding: letters, as: UTF8.self)
  }

  /// As it is shown: `k3xq9-0m7pd`.
  var shown: String { "\(text.prefix(5))-\(text.suffix(5))" }
}

/// The stored form of recovery codes and of sign-ins' tokens: digests under a key that is
/// not in the store.
///
/// 50 bits are too few to be safe under a plain digest, and need no slow one under a key.
struct SecondFactorKey: Sendable {
  private let key: HMACKey

  /// Works under a key of its own, derived from `secret`.
  init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of second factors".utf8)))
  }

  /// The digest of a code of a user.
  func digest(of code: RecoveryCode, of userID: String) -> [UInt8] {
    key.code(of: Array("recovery code \(userID) \(code.text)".utf8))
  }

  /// The subject that a user's attempts from a device or a session are counted under; nil for all of
  /// them that come from elsewhere.
  func attempts(of userID: String, from origin: [UInt8]?) -> [UInt8] {
    key.code(of: Array("attempts \(userID) ".utf8) + (origin ?? []))
  }

  /// A token for the second half of a sign-in, and what it is found by.
  func makeToken(_ random: any RandomSource) -> (text: String, digest: [UInt8]) {
    let bytes = random.bytes(Self.tokenByteCount)
    return (Base64URL.encode(bytes), digest(ofToken: bytes))
  }

  /// The digest that a token is found by; nil for a text that can be none.
  func digest(ofToken text: String) -> [UInt8]? {
    guard text.utf8.count <= 64, let bytes = Base64URL.decode(text),
      bytes.count == Self.tokenByteCount
    else { return nil }
    return digest(ofToken: bytes)
  }

  private static let tokenByteCount = 32

  private func digest(ofToken bytes: [UInt8]) -> [UInt8] {
    key.code(of: Array("sign-in ".utf8) + bytes)
  }
}
