public import RPCKit

/// Counts who was let in, and why others were not.
public struct AuthenticationMetrics: Sendable {
  private let anonymous: Counter
  private let users: Counter
  private let services: Counter
  private let refused: MetricFamily<Counter>
  /// Streams that ended before their callers wanted.
  let endedStreams: Counter

  /// Registers the counters.
  public init(_ registry: MetricRegistry) {
    let admitted = registry.counters(
      "gatehouse_service_authentication_admitted_total",
      help: "Authenticated calls, by kind of caller.",
      labels: ["caller"]
    )
    anonymous = admitted.series("anonymous")
    users = admitted.series("user")
    services = admitted.series("service")
    refused = registry.counters(
      "gatehouse_service_authentication_refused_total",
      help: "Rejected tokens, by the kind of caller they claim and what was wrong.",
      labels: ["caller", "fault"]
    )
    endedStreams = registry.counter(
      "gatehouse_service_authentication_streams_ended_total",
      help: "Streams ended because the credentials they were opened with expired or were revoked."
    )
  }

  func admitted(_ caller: Caller) {
    switch caller {
    case .anonymous: anonymous.increment()
    case .user: users.increment()
    case .service: services.increment()
    }
  }

  func refused(_ fault: TokenFault, isService: Bool) {
    refused.series(isService ? "service" : "user", fault.rawValue).increment()
  }
}
