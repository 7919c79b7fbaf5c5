internal import COpenSSL

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
