/// How long access tokens live.
public struct AccessTokenLifetime: Hashable, Sendable {
  /// At most, in milliseconds.
  public var longest: Int64

  /// Makes a lifetime of 1 s to 15 min.
  public init(longest: Int64) {
    self.longest = min(max(longest, 1000), 15 * 60_000)
  }

  /// 10 minutes.
  public static let standard = AccessTokenLifetime(longest: 10 * 60_000)

  /// A lifetime up to 5 % shorter, by the bytes given, in whole seconds: applications that started
  /// together would otherwise all refresh in the same second.
  public func shortened(by chance: [UInt8]) -> Int64 {
    let number = chance.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let cut = Int64(number % UInt64(longest / 20 + 1))
    return max(1000, (longest - cut) / 1000 * 1000)
  }
}
