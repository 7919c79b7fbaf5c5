internal import COpenSSL
internal import RPCKit

/// A key for HMAC-SHA-256 (RFC 2104), kept as OpenSSL needs it.
///
/// Setting a key up takes about twice as long as authenticating a short text with it, so a key that is
/// used more than once is made once. Safe to use from any thread; callers take turns.
public final class HMACKey: Sendable {
  /// Bytes of a code.
  public static let byteCount = 32

  private let context: Lock<KeyedContext>

  /// Takes over a key.
  ///
  /// One of no bytes is a bug and traps: it would authenticate everything that anyone makes.
  public init(_ key: [UInt8]) {
    precondition(!key.isEmpty, "an HMAC key must have bytes")
    context = Lock(KeyedContext(key))
  }

  /// The code of `bytes` under this key: 32 bytes.
  public func code(of bytes: [UInt8]) -> [UInt8] {
    context.withLock { $0.code(of: bytes) }
  }
}

/// An `EVP_MAC_CTX` that has its key (EVP_MAC(3)); used by one thread at a time.
@safe
private final class KeyedContext {
  private let pointer: OpaquePointer

  init(_ key: [UInt8]) {
    guard let algorithm = unsafe EVP_MAC_fetch(nil, OSSL_MAC_NAME_HMAC, nil) else {
      preconditionFailure("this OpenSSL has no HMAC")
    }
    // The context keeps a reference of its own.
    defer { unsafe EVP_MAC_free(algorithm) }
    guard let context = unsafe EVP_MAC_CTX_new(algorithm) else {
      preconditionFailure("HMAC-SHA-256 failed: out of memory")
    }
    unsafe pointer = context
    var digest = "SHA256".utf8CString
    let result = unsafe "digest".withCString { name in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        let parameters = unsafe [
          OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0),
          OSSL_PARAM_construct_end(),
        ]
        return unsafe EVP_MAC_init(context, key, key.count, parameters)
      }
    }
    precondition(result == 1, "HMAC-SHA-256 failed: the key was not taken")
  }

  deinit { unsafe EVP_MAC_CTX_free(pointer) }

  func code(of bytes: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: HMACKey.byteCount)
    var count = 0
    // Without a key, it starts over with the one that it has.
    let isDone =
      unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1
      && EVP_MAC_update(pointer, bytes, bytes.count) == 1
      && EVP_MAC_final(pointer, &code, &count, code.count) == 1
    precondition(isDone && count == HMACKey.byteCount, "HMAC-SHA-256 failed: out of memory")
    return code
  }
}
