internal import COpenSSL
internal import RPCKit

/// SHA-256 and the comparison that tells nothing by its duration.
public enum Digests {
  /// Bytes of a digest.
  public static let byteCount = 32

  /// Fetched once: looking an algorithm up by name costs more than hashing a token with it
  /// (crypto(7), "Explicit fetching").
  fileprivate static let algorithm = FetchedDigest()

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

/// The SHA-256 digest of bytes that come piece by piece.
///
/// Safe to use from any thread; callers take turns.
package final class RunningDigest: Sendable {
  private let context = Lock(DigestContext())

  /// Has seen nothing yet.
  package init() {}

  /// Adds bytes behind those that it has seen.
  package func add(_ bytes: [UInt8]) { context.withLock { $0.add(bytes) } }

  /// The digest of everything that it has seen: 32 bytes.
  ///
  /// More can be added afterwards.
  package var value: [UInt8] { context.withLock { $0.value } }
}

/// An `EVP_MD_CTX` (EVP_DigestInit(3)); used by one thread at a time.
@safe
private final class DigestContext {
  private let pointer: OpaquePointer

  init() {
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("SHA-256 failed: out of memory")
    }
    unsafe pointer = context
    let result = unsafe EVP_DigestInit_ex2(context, Digests.algorithm.pointer, nil)
    precondition(result == 1, "SHA-256 failed: out of memory")
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }

  func add(_ bytes: [UInt8]) {
    let result = unsafe EVP_DigestUpdate(pointer, bytes, bytes.count)
    precondition(result == 1, "SHA-256 failed")
  }

  var value: [UInt8] {
    // Of a copy: a context is at its end once it was asked.
    let copy = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(copy) }
    var digest = [UInt8](repeating: 0, count: Digests.byteCount)
    let isDone =
      unsafe EVP_MD_CTX_copy_ex(copy, pointer) == 1
      && EVP_DigestFinal_ex(copy, &digest, nil) == 1
    precondition(isDone, "SHA-256 failed: out of memory")
    return digest
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
