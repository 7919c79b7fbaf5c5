public import RPCKit

/// How far a service is behind AuthService in revocations, as metrics.
public enum RevocationMetrics {
  /// Registers the metrics of a feed, as long as it lives.
  public static func register(
    _ feed: RevocationFeed,
    on loop: any EventLoop,
    in registry: MetricRegistry
  ) {
    feed.report(to: registry)
    let began = loop.preciseNow
    registry.observe(
      "gatehouse_service_revocation_lag_seconds",
      help: "Time since AuthService was last heard from; since the start if it never was."
    ) { [weak feed] in
      let lag = feed?.lag ?? began.duration(to: loop.preciseNow)
      return Double(lag.nanosecondsSaturated) / 1_000_000_000
    }
    registry.observe(
      "gatehouse_service_revocation_feed_live",
      help: "1 while revocations are pushed, 0 while each call has to ask."
    ) { [weak feed] in feed?.isLive == true ? 1 : 0 }
    registry.observe(
      "gatehouse_service_revocations_known",
      help: "Revocations kept because their tokens have not expired yet."
    ) { [weak feed] in Double(feed?.count ?? 0) }
  }
}
