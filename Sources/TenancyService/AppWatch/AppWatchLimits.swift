internal import RPCKit
internal import ServiceKit

/// Every bound of apps' watches.
enum AppWatchLimits {
  /// Watches of one session.
  static let sessionCountMax = 5
  /// Watches of one user.
  static let userCountMax = 20
  /// Silence of a watch, at most.
  static let heartbeatInterval = Duration.seconds(3)
  /// Commits that concern a watcher while it takes none of its events; then it is cut off.
  static let missedCountMax = 1000
  /// Changes of the whole service after which a watcher that comes back reads everything again.
  static let lagCountMax: Int64 = 16_384
  /// Changes that concern a watcher, read at a time.
  static let changeCountMax = 128
  /// Objects of a watch that are newer than its position, each remembered with its change.
  static let sentCountMax = 256
  /// Bytes of documents read at a time, unless the first one alone is larger.
  static let byteCountMax: Int64 = 1 << 20
}

/// The reasons for which a watch is refused or cut off, as the metric calls them.
enum AppWatchLimit: String, CaseIterable, Sendable {
  case session
  case user
  case slow
}

/// Counts of apps' watches.
final class AppWatchMeter: Sendable {
  let open: Gauge
  let refusals: CounterByLabel<AppWatchLimit>
  let resyncs: Counter

  init(_ registry: MetricRegistry) {
    open = registry.gauge(
      "gatehouse_tenancy_app_watches",
      help: "Watches of apps that are open."
    )
    refusals = CounterByLabel(
      registry,
      "gatehouse_tenancy_app_watch_refusals_total",
      help: "Watches of apps that were refused or cut off at a limit, by the limit.",
      label: "limit"
    )
    resyncs = registry.counter(
      "gatehouse_tenancy_app_watch_resyncs_total",
      help: "Times a watching app had to read everything again."
    )
  }
}

/// Errors of apps' watches.
enum AppWatchError {
  static func tooMany(_ limit: AppWatchLimit) -> RPCError {
    let countMax =
      limit == .session ? AppWatchLimits.sessionCountMax : AppWatchLimits.userCountMax
    return ErrorCatalog.tenancy.limited(
      "TOO_MANY_WATCHES",
      "this \(limit.rawValue) has \(countMax) open watches already; end one of them first",
      retryAfter: .seconds(3)
    )
  }

  static let tooSlow = ErrorCatalog.tenancy.limited(
    "WATCH_TOO_SLOW",
    "the watch is more than \(AppWatchLimits.missedCountMax) changes behind; "
      + "watch again with the resume_token of the last event",
    retryAfter: .seconds(1)
  )

  static let tokenInvalid = ErrorCatalog.tenancy.invalid(
    "resume_token",
    "RESUME_TOKEN_INVALID",
    "is not from this service, or is another user's; watch without it and read everything again"
  )
}
