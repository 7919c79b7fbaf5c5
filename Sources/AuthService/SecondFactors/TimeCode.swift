internal import ServiceKit

/// One-time codes that change with the time (RFC 6238), as an authenticator app makes them of a secret.
struct TimeCode: Hashable, Sendable {
  /// Seconds for which a code is shown.
  static let period: Int64 = 30
  /// Digits of the codes that apps show.
  static let digitCount = 6
  /// Bytes of a secret: as many as SHA-1 has (RFC 4226, section 4, R6).
  static let secretByteCount = 20

  private let secret: [UInt8]

  /// Makes codes of a secret.
  init(secret: [UInt8]) { self.secret = secret }

  /// The step that a time lies in, in milliseconds since 1970.
  static func step(at now: Int64) -> Int64 { now / 1000 / period }

  /// The steps whose codes are accepted at a time: the one before and the one after as well, because the
  /// clocks of phones are off and people type slowly (RFC 6238, section 5.2).
  static func steps(at now: Int64) -> ClosedRange<Int64> {
    let step = step(at: now)
    return step - 1...step + 1
  }

  /// The code of a step (RFC 4226, section 5.3).
  func code(
    step: Int64,
    digitCount: Int = digitCount,
    hash: MessageCode.Hash = .sha1
  ) -> String {
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    let code = MessageCode.code(of: counter, key: secret, hash)
    let offset = Int(code[code.count - 1] & 15)
    let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digitCount).reduce(UInt32(1)) { product, _ in product * 10 }
    let digits = String(number % modulus)
    return String(repeating: "0", count: digitCount - digits.utf8.count) + digits
  }

  /// The latest step accepted at a time whose code this is and that `isFree`; nil when there is none.
  ///
  /// Blanks, with which apps show codes, do not count. Each accepted step is compared, in constant time.
  func step(of text: String, at now: Int64, where isFree: (Int64) -> Bool) -> Int64? {
    let typed = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })
    var found: Int64?
    for step in Self.steps(at: now) {
      let isEqual = Digests.areEqual(typed, Array(code(step: step).utf8))
      if isEqual, isFree(step) { found = step }
    }
    return found
  }

  /// The contents of the QR code for an app (the format is Google Authenticator's, "Key Uri Format").
  ///
  /// The issuer stands before the account as well, for apps that know only that. Parameters that have
  /// their default value are left out, because some apps stumble over them.
  func uri(issuer: String, account: String) -> String {
    let (issuer, account) = (Self.percentEncoded(issuer), Self.percentEncoded(account))
    return "otpauth://totp/\(issuer):\(account)?secret=\(Base32.encode(secret))&issuer=\(issuer)"
  }

  /// All but the unreserved characters of RFC 3986 (section 2.3) encoded: a space as `%20`, never as `+`,
  /// and a colon, which would end the issuer, as `%3A`.
  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
