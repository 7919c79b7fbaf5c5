public import RPCKit

/// Counts who was let in, and why others were not.
public struct AuthenticationMetrics: Sendable {
  private let admitted: MetricFamily<Counter>
  private let refused: MetricFamily<Counter>

  /// Registers the counters.
  public init(_ registry: MetricRegistry) {
    admitted = registry.counters(
      "authentication_admitted_total",
      help: "Calls whose caller was found out, by kind of caller.",
      labels: ["caller"]
    )
    refused = registry.counters(
      "authentication_refused_total",
      help: "Tokens that were not accepted, by whose they should have been and what was wrong.",
      labels: ["caller", "fault"]
    )
  }

  func admitted(_ caller: Caller) {
    switch caller {
    case .anonymous: admitted.series("anonymous").increment()
    case .user: admitted.series("user").increment()
    case .service: admitted.series("service").increment()
    }
  }

  func refused(_ fault: TokenFault, isService: Bool) {
    refused.series(isService ? "service" : "user", fault.rawValue).increment()
  }
}
