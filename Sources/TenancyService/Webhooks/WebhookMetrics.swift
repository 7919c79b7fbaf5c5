internal import RPCKit

/// The counters of webhooks.
struct WebhookMetrics: Sendable {
  let taken: Counter
  let attempts: CounterByLabel<DeliveryAttempt.Outcome>
  let givenUp: Counter
  let dropped: Counter
  let waiting: Gauge
  let oldest: Gauge

  init(_ registry: MetricRegistry) {
    taken = registry.counter(
      "gatehouse_tenancy_webhook_events_total",
      help: "Events of all services that were taken in, wanted by a webhook or not."
    )
    attempts = CounterByLabel(
      registry,
      "gatehouse_tenancy_webhook_attempts_total",
      help: "Attempts to deliver an event, by how they ended.",
      label: "outcome"
    )
    givenUp = registry.counter(
      "gatehouse_tenancy_webhook_events_given_up_total",
      help: "Events that were given up after ten attempts, while their receiver took others."
    )
    dropped = registry.counter(
      "gatehouse_tenancy_webhook_deliveries_dropped_total",
      help: "Deliveries that were dropped because their event was older than 30 days."
    )
    waiting = registry.gauge(
      "gatehouse_tenancy_webhook_deliveries_waiting",
      help: "Deliveries that wait, without those that were given up."
    )
    oldest = registry.gauge(
      "gatehouse_tenancy_webhook_oldest_seconds",
      help: "How long ago the oldest event happened that is due and was not delivered."
    )
  }
}
