internal import RPCKit

/// Gives every call its span, and records it at the end.
///
/// The first of all interceptors, so that a call which one of the others refuses has a span too.
struct TracingInterceptor: ServerInterceptor {
  /// Asked by probes every few seconds, and of no interest in a trace.
  private static let probed = Grpc_Health_V1.HealthMethods.check.service

  private let tracer: Tracer

  init(_ tracer: Tracer) { self.tracer = tracer }

  func begin(_ call: CallContext) throws -> Interception {
    if call.method.service != Self.probed { call.span = ServerSpan(tracer) }
    return .proceed
  }

  func ended(_ call: CallContext) { (call.span as? ServerSpan)?.ended(call) }
}
