internal import COpenSSL

/// HMAC with a hash that a protocol prescribes (RFC 2104), for keys that are used once; `HMACKey` is for
/// those that stay.
public enum MessageCode {
  /// The hash inside.
  public enum Hash: Hashable, Sendable, CaseIterable {
    /// Broken for signatures, and good here: an HMAC needs no hash without collisions (RFC 6151 says so
    /// of MD5). Authenticator apps know no other.
    case sha1
    /// 32 bytes.
    case sha256
    /// 64 bytes.
    case sha512

    /// Bytes of a code.
    public var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// The code of `bytes` under a key, which must have bytes.
  public static func code(of bytes: [UInt8], key: [UInt8], _ hash: Hash) -> [UInt8] {
    precondition(!key.isEmpty && key.count <= 1024, "an HMAC key has 1 to 1024 bytes")
    let algorithm =
      switch hash {
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha512: unsafe EVP_sha512()
      }
    var code = [UInt8](repeating: 0, count: hash.byteCount)
    var count: UInt32 = 0
    let result = unsafe HMAC(algorithm, key, Int32(key.count), bytes, bytes.count, &code, &count)
    let isDone = unsafe result != nil
    precondition(isDone && Int(count) == code.count, "HMAC failed: out of memory")
    return code
  }
}
