internal import RPCKit

/// The span of a call that is being served.
final class ServerSpan: Sendable {
  private struct State {
    var context: TraceContext?
    var reason: String?
  }

  private let tracer: Tracer
  private let state = Lock(State())

  init(_ tracer: Tracer) { self.tracer = tracer }

  /// Where the span belongs and whether it is recorded: the same however often it is asked.
  ///
  /// Decided when it is asked first, because who calls is not known when a call begins.
  func context(of call: CallContext) -> TraceContext {
    if let known = state.withLock({ $0.context }) { return known }
    let made = tracer.context(for: call)
    return state.withLock { state in
      let context = state.context ?? made
      state.context = context
      return context
    }
  }

  /// The call ends with an error; the last one counts.
  func failed(_ error: RPCError) {
    let reason = error.reason
    state.withLock { $0.reason = reason }
  }

  /// The call is over.
  func ended(_ call: CallContext) {
    let context = context(of: call)
    guard context.isSampled, let end = call.ending else { return }
    let outcome = CallSpan.Outcome(
      code: end.code,
      reason: state.withLock { $0.reason },
      requestID: tracer.identifiers.requestID(of: call)
    )
    tracer.queue.add(.served(call, context, until: end.instant, outcome))
  }
}
