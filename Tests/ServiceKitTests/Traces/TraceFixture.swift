import RPCKit
import RPCKitTesting

@testable import ServiceKit

/// Tracers and spans for tests.
enum TraceFixture {
  static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let spanID = "00f067aa0ba902b7"
  /// What a caller says that records its trace.
  static let sampled = "00-\(traceID)-\(spanID)-01"
  /// What one says that does not.
  static let unsampled = "00-\(traceID)-\(spanID)-00"

  static func tracer(
    _ sampleRatio: Double,
    random: any RandomSource = SystemRandomSource()
  ) -> Tracer {
    Tracer(
      sampleRatio: sampleRatio,
      identifiers: IdentifierFactory(clock: ManualClock(), random: SystemRandomSource()),
      random: random,
      metrics: TraceMetrics(MetricRegistry())
    )
  }

  /// A call that was made, between two instants.
  static func span(
    _ kind: CallSpan.Kind = .client,
    _ context: TraceContext? = nil,
    parent: TraceContext? = nil,
    traceState: String? = nil,
    from start: Int64 = 1,
    to end: Int64 = 2,
    attributes: [CallSpan.Attribute] = [],
    isError: Bool = false
  ) -> CallSpan {
    var random = SystemRandomNumberGenerator()
    return CallSpan(
      kind: kind,
      context: context ?? .generate(isSampled: true, using: &random),
      parent: parent,
      traceState: traceState,
      name: "a.v1.B/C",
      start: MonotonicInstant(nanoseconds: start),
      end: MonotonicInstant(nanoseconds: end),
      attributes: attributes,
      isError: isError
    )
  }
}

extension CallSpan {
  /// The text of an attribute.
  subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}
