/// Keeps secrets out of log lines: by the name of a field, and by what a text looks like.
///
/// A safety net under the rule that secrets are not logged. It errs on the side of hiding.
enum Redaction {
  /// What is written instead.
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
  /// `refreshToken`, `refresh-token` and `REFRESH_TOKEN` are all `refresh_token` here.
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

  private static func snakeCase(_ key: String) -> String {
    var result: [UInt8] = []
    var wasLower = false
    for byte in key.utf8 {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isUpper && wasLower { result.append(UInt8(ascii: "_")) }
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "):
        result.append(UInt8(ascii: "_"))
      default: result.append(isUpper ? byte | 0x20 : byte)
      }
      wasLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The first run of bytes that looks like a bearer token, a JSON web token or a private key.
  ///
  /// One pass: every branch that looks ahead either returns or skips what it looked at.
  private static func nextCredential(in bytes: [UInt8], from start: Int) -> Range<Int>? {
    var index = start
    var isWordStart = true
    while index < bytes.count {
      if isWordStart, let end = bearerEnd(in: bytes, at: index) { return index..<end }
      if matches(bytes, at: index, "-----BEGIN ", ignoringCase: false) {
        return index..<bytes.count
      }
      guard isTokenByte(bytes[index]) else {
        isWordStart = true
        index += 1
        continue
      }
      guard isWordStart else {
        index += 1
        continue
      }
      let end = bytes[index...].firstIndex { !isTokenByte($0) } ?? bytes.count
      if isWebToken(bytes[index..<end]) { return index..<end }
      isWordStart = false
    }
    return nil
  }

  /// Where a bearer token ends, or nil if there is none here.
  ///
  /// Words of fewer than six bytes are taken for prose.
  private static func bearerEnd(in bytes: [UInt8], at index: Int) -> Int? {
    guard matches(bytes, at: index, "bearer ", ignoringCase: true) else { return nil }
    let tokenStart = bytes[(index + 7)...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count
    let end = bytes[tokenStart...].firstIndex { $0 <= 0x20 || $0 == 0x22 } ?? bytes.count
    // At the very start of a text it is a header value, however short the token.
    return end - tokenStart >= 6 || (index == 0 && end > tokenStart) ? end : nil
  }

  /// Whether a word is `eyJ…` with at least two parts: base64url of `{"` and a payload.
  private static func isWebToken(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.starts(with: "eyJ".utf8) else { return false }
    let parts = word.split(separator: UInt8(ascii: "."))
    return parts.count >= 2 && parts[0].count >= 8
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
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
      let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      guard (ignoringCase && isLetter ? byte | 0x20 : byte) == expected else { return false }
      offset += 1
    }
    return true
  }
}
