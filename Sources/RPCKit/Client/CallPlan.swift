/// The plan of a call, from its options, the channel and the call that is being served.
struct CallPlan: Sendable {
  /// `distantFuture` is none.
  var deadline: MonotonicInstant
  /// Whether the deadline is the one of the call being served.
  private let inheritsDeadline: Bool
  var metadata: Metadata
  var waitsForReady: Bool
  var compressesRequest: Bool

  init(_ method: MethodDescriptor, _ options: CallOptions, _ configuration: ChannelConfiguration) {
    let scope = CallScope.current
    let inherited = scope.deadline ?? .distantFuture
    deadline = inherited
    if let timeout = options.timeout {
      let own = configuration.loops.loops[0].now.advanced(by: timeout)
      deadline = min(deadline, own)
    }
    inheritsDeadline = deadline != .distantFuture && deadline == inherited
    metadata = configuration.metadata
    for entry in options.metadata.entries { metadata.append(entry.key, entry.value) }
    if let traceparent = scope.traceparent, metadata[TraceContext.metadataKey] == nil,
      TraceContext(traceparent: traceparent) != nil
    {
      metadata.append(TraceContext.metadataKey, traceparent)
      if let tracestate = scope.tracestate { metadata.append(TraceState.metadataKey, tracestate) }
    }
    waitsForReady = options.waitsForReady
    compressesRequest = options.compressesRequest
  }

  /// The outcome of the call, which says so when it was the time of the call being served that ran out.
  func outcome(_ error: RPCError) -> RPCError {
    guard inheritsDeadline, error.code == .deadlineExceeded else { return error }
    var error = error
    error.isOutcomeOfCallersDeadline = true
    return error
  }
}
