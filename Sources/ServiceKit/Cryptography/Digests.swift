internal import COpenSSL

/// SHA-256 and the comparison that tells nothing by its duration.
public enum Digests {
  /// Bytes of a digest.
  public static let byteCount = 32

  /// Fetched once: looking an algorithm up by name costs more than hashing a token with it
  /// (crypto(7), "Explicit fetching").
  private static let algorithm = FetchedDigest()

  /// The SHA-256 digest of `bytes`: 32 bytes.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    let result = unsafe EVP_Digest(
      bytes,
      bytes.count,
      &digest,
      nil,
      algorithm.pointer,
      nil
    )
    precondition(result == 1, "SHA-256 failed: out of memory")
    return digest
  }

  /// The SHA-256 digest of the UTF-8 bytes of `text`.
  public static func sha256(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }

  /// The SHA-256 digest of lines of text, with a line feed between each and the next.
  public static func sha256(lines: String...) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lines.reduce(lines.count) { $0 + $1.utf8.count })
    for (index, line) in lines.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "\n")) }
      bytes += line.utf8
    }
    return sha256(bytes)
  }

  /// Whether two byte strings are the same, in a time that depends on their lengths alone
  /// (CRYPTO_memcmp(3)).
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
  }
}

/// An algorithm of OpenSSL that lives as long as the process.
///
/// `@unchecked Sendable`: an `EVP_MD` never changes after it was fetched.
@safe
private struct FetchedDigest: @unchecked Sendable {
  let pointer: OpaquePointer

  init() {
    guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
      preconditionFailure("this OpenSSL has no SHA-256")
    }
    unsafe pointer = algorithm
  }
}
