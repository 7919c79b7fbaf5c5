public import RPCKit

/// The metrics of a service's knowledge of revocations; how far it is behind AuthService is the watch's to
/// say: `gatehouse_service_watch_lag_seconds`.
public enum RevocationMetrics {
  /// Registers the metrics of a feed, as long as it lives.
  public static func register(
    _ feed: RevocationFeed,
    in registry: MetricRegistry
  ) {
    feed.report(to: registry)
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
