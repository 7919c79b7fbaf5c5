/// What a call is sent with, from its options, the channel and the call that is being served.
struct CallPlan: Sendable {
  /// `distantFuture` is none.
  var deadline: MonotonicInstant
  var metadata: Metadata
  var waitsForReady: Bool
  var compressesRequest: Bool

  init(_ method: MethodDescriptor, _ options: CallOptions, _ configuration: ChannelConfiguration) {
    let scope = CallScope.current
    deadline = scope.deadline ?? .distantFuture
    if let timeout = options.timeout {
      let own = configuration.loops.loops[0].now.advanced(by: timeout)
      deadline = min(deadline, own)
    }
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
}
