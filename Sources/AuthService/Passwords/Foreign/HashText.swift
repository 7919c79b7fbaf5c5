internal import ServiceKit

/// The parts of foreign hashes' forms.
enum HashText {
  /// The alphabet of crypt(5), in the order of its values.
  private static let cryptAlphabet = Array(
    "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
  )

  /// Whether there is nothing but letters of crypt(5)'s alphabet.
  static func isCryptText(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { cryptAlphabet.contains($0) }
  }

  /// The value of such letters, the least significant first; nil for other letters, or more than five.
  static func cryptNumber(_ text: Substring) -> Int? {
    guard (1...5).contains(text.utf8.count) else { return nil }
    var number = 0
    for (place, letter) in text.utf8.enumerated() {
      guard let value = cryptAlphabet.firstIndex(of: letter) else { return nil }
      number |= value << (6 * place)
    }
    return number
  }

  /// A decimal number without sign or leading zeros, of at most ten digits.
  static func number(_ text: Substring) -> Int? {
    let digits = text.utf8
    guard (1...10).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(text)
  }

  /// The bytes of base 64 in any of its spellings: either alphabet, that of passlib (`.` for `+`), with
  /// padding or without.
  static func base64(_ text: Substring) -> [UInt8]? {
    var letters = text.utf8.map { letter in
      switch letter {
      case UInt8(ascii: "+"), UInt8(ascii: "."): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: letter
      }
    }
    if letters.count % 4 == 0 {
      for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
    }
    return Base64URL.decode(letters[...])
  }
}

extension String {
  /// The parts between dollar signs, empty ones too.
  var dollarParts: [Substring] { split(separator: "$", omittingEmptySubsequences: false) }
}
