internal import RPCKit

/// Decides which calls are traced, and has the spans of those that are over.
final class Tracer: Sendable {
  /// Names requests as the logs do.
  let identifiers: IdentifierFactory
  /// The spans that wait to be sent.
  let queue: SpanQueue
  private let sampleRatio: Double
  private let random: any RandomSource

  init(
    sampleRatio: Double,
    identifiers: IdentifierFactory,
    random: any RandomSource,
    metrics: TraceMetrics
  ) {
    self.identifiers = identifiers
    self.sampleRatio = sampleRatio
    self.random = random
    queue = SpanQueue(metrics)
  }

  /// Where the span of a call belongs, and whether it is recorded.
  ///
  /// A trace that its caller does not record is not recorded here. That a trace is recorded counts if a service
  /// says so that has proved which one it is; from everybody else it is a wish, and the trace is recorded as
  /// often as any other. So nobody can fill the collector, and choosing trace ids has no effect.
  func context(for call: CallContext) -> TraceContext {
    var ids = SystemRandomNumberGenerator()
    guard let parent = call.trace else { return .generate(isSampled: isDrawn, using: &ids) }
    let isSampled = parent.isSampled && (call.caller.service != nil || isDrawn)
    return parent.child(isSampled: isSampled, using: &ids)
  }

  private var isDrawn: Bool {
    // 53 bits are what a Double holds exactly, so 1 is never drawn, and a ratio of 1 takes every call.
    Double(random.number() >> 11) / 0x1p53 < sampleRatio
  }
}
