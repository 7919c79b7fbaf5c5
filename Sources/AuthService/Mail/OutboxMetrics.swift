internal import RPCKit

/// The metrics of the outbox.
struct OutboxMetrics: Sendable {
  let queued: MetricFamily<Counter>
  let sent: MetricFamily<Counter>
  let shed: Counter
  let waiting: Gauge
  let dead: Gauge

  init(_ registry: MetricRegistry) {
    queued = registry.counters(
      "gatehouse_auth_mails_queued_total",
      help: "Mails queued, by kind.",
      labels: ["kind"]
    )
    sent = registry.counters(
      "gatehouse_auth_mail_attempts_total",
      help: "What became of mails: sent, failed, refused, expired, dropped.",
      labels: ["outcome"]
    )
    shed = registry.counter(
      "gatehouse_auth_mails_shed_total",
      help: "Mails not queued, or removed to make room, because too many waited."
    )
    waiting = registry.gauge("gatehouse_auth_mails_waiting", help: "Mails waiting to be sent.")
    dead = registry.gauge(
      "gatehouse_auth_mails_dead",
      help: "Mails given up in the last 30 days."
    )
    for kind in MailKind.allCases { _ = queued.series(kind.rawValue) }
    for outcome in ["sent", "failed", "refused", "expired", "dropped"] { _ = sent.series(outcome) }
  }
}
