internal import ServiceKit

/// How records name bytes that they must not hold themselves.
enum PayloadDigest {
  /// SHA-256 in 64 hexadecimal digits.
  static func sha256(_ bytes: [UInt8]) -> String { hexadecimal(Digests.sha256(bytes)) }

  /// Two digits a byte, in lower case.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = [UInt8]("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
