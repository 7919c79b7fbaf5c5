public import StrictJSON

/// The rules of settings for sources, whatever is counted for them.
public struct SourceRules: Sendable {
  /// The time in which attempts come back, in milliseconds.
  public var window: Int64 = 10 * 60_000
  /// Sources that are remembered; of more, those with the fewest attempts are forgotten.
  public var sourceCount = 16_384
  /// Services that are trusted when they tell whom they call for.
  public var trustedProxies: Set<String> = []
  /// Whether peers on the same host are counted too: by address, and on a Unix socket by user.
  public var countsLoopback = false

  /// Ten minutes, and nobody is trusted.
  public init() {}

  /// Takes `window_minutes`, `sources`, `trusted_proxies` and `loopback` out of `members`.
  public init(_ members: inout JSONMembers) throws(JSONDecodingError) {
    if let field = members.optional("window_minutes") {
      window = try field.integer(in: 1...1440) * 60_000
    }
    if let field = members.optional("sources") {
      sourceCount = Int(try field.integer(in: 1024...1_048_576))
    }
    for field in try members.optional("trusted_proxies")?.elements() ?? [] {
      trustedProxies.insert(try field.string())
    }
    if let field = members.optional("loopback") {
      guard let flag = field.value.boolean else { throw field.error("must be true or false") }
      countsLoopback = flag
    }
  }
}
