internal import ServiceKit

/// A code that one person passes on to another: aloud, on paper, in a message.
///
/// Its 26 letters and digits look unlike each other in every type face: there is no O beside 0, no I or L
/// beside 1, no U beside V, and none of 2, 5, 6 and 8, which are taken for Z, S, G and B.
struct PassedCode: Hashable, Sendable {
  /// In upper case, with nothing in between.
  let text: String

  private static let alphabet = [UInt8]("3479ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Reads a code as typed, in lower case, with spaces and hyphens.
  init(typed: String) {
    let bytes = typed.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & ~0x20
      case UInt8(ascii: " "), UInt8(ascii: "-"): nil
      default: byte
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// A fresh one; a letter is worth 4.7 bits.
  init(letterCount: Int, random: any RandomSource) {
    var letters: [UInt8] = []
    // Bytes past the last multiple of 26 would make some letters likelier than others.
    let bound = UInt8(256 / Self.alphabet.count * Self.alphabet.count)
    while letters.count < letterCount {
      for byte in random.bytes(2 * letterCount) where byte < bound && letters.count < letterCount {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    text = String(decoding: letters, as: UTF8.self)
  }
}

/// The stored form of codes: digests under a key.
///
/// Without the key, digests tell nothing of codes that are short enough to be tried out. The key is in
/// the store too, so anyone who reads all of it can try out the codes that are still open.
final class CodeDigests: Sendable {
  private let key: HMACKey

  init(key: [UInt8]) { self.key = HMACKey(key) }

  /// The digest of a code for a purpose: 32 bytes.
  func digest(of code: PassedCode, for purpose: StaticString) -> [UInt8] {
    key.code(of: Array("\(purpose)".utf8) + [0] + Array(code.text.utf8))
  }
}
