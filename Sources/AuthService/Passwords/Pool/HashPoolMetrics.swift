internal import RPCKit

/// The metrics of a `HashPool`, for each lane.
struct HashPoolMetrics: Sendable {
  let duration: Histogram
  private let shed: MetricFamily<Counter>
  private let overShare: MetricFamily<Counter>
  private let waiting: MetricFamily<Gauge>
  private let wait: MetricFamily<Histogram>

  init(_ registry: MetricRegistry) {
    duration = registry.histogram(
      "gatehouse_auth_password_hash_seconds",
      help: "Time to compute a password hash.",
      buckets: .duration
    )
    shed = registry.counters(
      "gatehouse_auth_password_hashes_shed_total",
      help: "Password hashes refused because too many were waiting.",
      labels: ["lane"]
    )
    overShare = registry.counters(
      "gatehouse_auth_password_hashes_over_share_total",
      help: "Password hashes refused because their account had its share already.",
      labels: ["lane"]
    )
    waiting = registry.gauges(
      "gatehouse_auth_password_hashes_waiting",
      help: "Password hashes waiting or running.",
      labels: ["lane"]
    )
    wait = registry.histograms(
      "gatehouse_auth_password_hash_wait_seconds",
      help: "Time a password hash waited for a thread.",
      labels: ["lane"],
      buckets: .duration
    )
    for lane in HashLane.allCases {
      _ = shed.series(lane.rawValue)
      _ = overShare.series(lane.rawValue)
      _ = waiting.series(lane.rawValue)
    }
  }

  func reserved(_ lane: HashLane) { waiting.series(lane.rawValue).increment() }

  func released(_ lane: HashLane) { waiting.series(lane.rawValue).decrement() }

  func refused(_ lane: HashLane, _ reservation: HashQueue.Reservation) {
    (reservation == .shareIsFull ? overShare : shed).series(lane.rawValue).increment()
  }

  func began(_ job: HashQueue.Job, at now: MonotonicInstant) {
    wait.series(job.lane.rawValue).observe(nanoseconds: job.arrived.nanoseconds(to: now))
  }
}
