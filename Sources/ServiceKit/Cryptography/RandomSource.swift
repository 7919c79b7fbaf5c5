internal import COpenSSL

/// Where chance comes from, so that a seed can replay it in tests.
public protocol RandomSource: Sendable {
  /// Fresh bytes.
  func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
  /// Eight fresh bytes as a number.
  package func number() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

/// OpenSSL's generator, fit for keys and tokens (RAND_bytes(3)).
public struct SystemRandomSource: RandomSource {
  /// Makes a view of the generator.
  public init() {}

  /// See `RandomSource.bytes`.
  ///
  /// Ends the process when the system has no entropy to give: to continue would be to hand out secrets
  /// that can be guessed.
  public func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe RAND_bytes(&bytes, Int32(count))
    precondition(result == 1, "the system's random number generator does not work")
    return bytes
  }
}
