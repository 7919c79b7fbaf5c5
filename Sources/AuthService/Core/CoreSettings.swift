/// The settings that several features use.
struct CoreSettings: Sendable {
  /// The `iss` of access tokens.
  let issuer: String
  /// Their `aud`.
  let audience: String
  let accessTokenLifetime: AccessTokenLifetime
  let sessions: SessionLifetimes
  let sourceLimits: SourceLimits
}

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

/// How long sessions last, in milliseconds.
public struct SessionLifetimes: Hashable, Sendable {
  /// Without a refresh.
  public var idle: Int64
  /// In any case.
  public var absolute: Int64
  /// Sessions that a user may have at a time; one more ends the one that was idle longest.
  public var countMax: Int

  /// 30 days, 180 days, 10 sessions.
  public static let standard = SessionLifetimes(
    idle: 30 * 86_400_000,
    absolute: 180 * 86_400_000,
    countMax: 10
  )

  /// Which of a user's sessions must end before one more begins: those idle longest.
  public func evicted(_ sessions: [(id: String, lastSeen: Int64)]) -> [String] {
    let excess = sessions.count - countMax + 1
    guard excess > 0 else { return [] }
    let oldestFirst = sessions.sorted { ($0.lastSeen, $0.id) < ($1.lastSeen, $1.id) }
    return oldestFirst.prefix(excess).map(\.id)
  }
}
