internal import TextEncodings

/// Keeps secrets out of log lines: by the name of a field, and by what a text looks like.
///
/// A safety net under the rule that secrets are not logged. It errs on the side of hiding.
enum Redaction {
  /// The text that is written instead.
  static let mark = "[redacted]"

  private static let secretKeys: Set<String> = [
    "access_key", "api_key", "apikey", "authorization", "client_assertion", "cookie", "credential",
    "credentials", "id_token_hint", "jwt", "mnemonic", "otp", "passcode", "passphrase", "passwd",
    "password", "pin", "pin_code", "private_key", "proxy_authorization", "pwd", "secret",
    "secret_key", "session_key", "set_cookie", "signing_key", "token",
  ]
  private static let secretSuffixes = [
    "_authorization", "_cookie", "_credential", "_otp", "_passphrase", "_password", "_pin",
    "_private_key", "_secret", "_secret_key", "_signing_key", "_token", "_tokens",
  ]

  /// Whether a field of this name is never written, whatever its value.
  ///
  /// `refreshToken`, `refresh-token`, `[refresh token]` and `REFRESH_TOKEN_2` are all `refresh_token`
  /// here.
  static func isSecret(key: String) -> Bool {
    let key = snakeCase(key)
    return secretKeys.contains(key) || secretSuffixes.contains { key.hasSuffix($0) }
  }

  /// The value of a field without secrets: the whole of it goes if it holds a credential.
  static func cleaned(value: String) -> String {
    nextCredential(in: Array(value.utf8), from: 0) == nil ? value : mark
  }

  /// A message without secrets: only the credentials in it go.
  static func cleaned(message: String) -> String {
    let bytes = Array(message.utf8)
    guard var found = nextCredential(in: bytes, from: 0) else { return message }
    var result: [UInt8] = []
    var copied = 0
    while true {
      result += bytes[copied..<found.lowerBound]
      result += mark.utf8
      copied = found.upperBound
      guard let next = nextCredential(in: bytes, from: copied) else { break }
      found = next
    }
    result += bytes[copied...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The words of a key, joined by `_`: without marks around them, and without a number behind them.
  private static func snakeCase(_ key: String) -> String {
    let bytes = Array(key.utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      guard byte.isASCIIAlphanumeric else {
        if result.last != underscore { result.append(underscore) }
        continue
      }
      if byte.isASCIIUppercase, index > 0, bytes[index - 1].isASCIILetter {
        // `refreshToken` and `HTTPToken` are two words each.
        let isNext =
          index + 1 < bytes.count && bytes[index + 1].isASCIILetter
          && !bytes[index + 1].isASCIIUppercase
        if !bytes[index - 1].isASCIIUppercase || isNext { result.append(underscore) }
      }
      result.append(byte.lowercasedASCII)
    }
    while let last = result.last, last == underscore || last.isASCIIDigit { result.removeLast() }
    return String(decoding: result.drop { $0 == underscore }, as: UTF8.self)
  }

  /// The first run of bytes that looks like a bearer token, a JSON web token or a private key.
  ///
  /// Wherever it begins: what comes before it may be any byte, as in `x-eyJ…`. One pass, because the ends
  /// that a look ahead finds are kept for as long as they hold.
  private static func nextCredential(in bytes: [UInt8], from start: Int) -> Range<Int>? {
    var (runEnd, dot) = (start, start)
    for index in start..<bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "b"), UInt8(ascii: "B"):
        if let end = bearerEnd(in: bytes, at: index) { return index..<end }
      case UInt8(ascii: "-"):
        if matches(bytes, at: index, "-----BEGIN ", ignoringCase: false) {
          return index..<bytes.count
        }
      case UInt8(ascii: "e"):
        guard matches(bytes, at: index, "eyJ", ignoringCase: false) else { continue }
        if runEnd <= index {
          runEnd = bytes[index...].firstIndex { !isTokenByte($0) } ?? bytes.count
        }
        if dot <= index {
          dot = bytes[index..<runEnd].firstIndex(of: UInt8(ascii: ".")) ?? runEnd
        }
        // `eyJ…` with another part: base64url of `{"` and a payload.
        if dot - index >= 8, dot + 1 < runEnd { return index..<runEnd }
      default: continue
      }
    }
    return nil
  }

  /// Where a bearer token ends, or nil if there is none here.
  ///
  /// Words of fewer than six bytes are taken for prose.
  private static func bearerEnd(in bytes: [UInt8], at index: Int) -> Int? {
    guard matches(bytes, at: index, "bearer", ignoringCase: true) else { return nil }
    let tokenStart = bytes[(index + 6)...].firstIndex { !isSeparator($0) } ?? bytes.count
    guard tokenStart > index + 6 else { return nil }
    let end = bytes[tokenStart...].firstIndex { $0 <= 0x20 || $0 == 0x22 } ?? bytes.count
    // At the very start of a text it is a header value, however short the token.
    return end - tokenStart >= 6 || (index == 0 && end > tokenStart) ? end : nil
  }

  /// The separators between `Bearer` and its token: anything that no token begins with.
  private static func isSeparator(_ byte: UInt8) -> Bool { byte < 0x80 && !isTokenByte(byte) }

  private static let underscore = UInt8(ascii: "_")

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == underscore
      || byte == UInt8(ascii: ".")
  }

  private static func matches(
    _ bytes: [UInt8],
    at index: Int,
    _ text: StaticString,
    ignoringCase: Bool
  ) -> Bool {
    guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
    var offset = index
    for expected in text.description.utf8 {
      let byte = bytes[offset]
      guard (ignoringCase ? byte.lowercasedASCII : byte) == expected else { return false }
      offset += 1
    }
    return true
  }
}
