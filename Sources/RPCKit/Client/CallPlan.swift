/// What a call is sent with, from its options, the channel and the call that is being served.
struct CallPlan: Sendable {
  /// `distantFuture` is none.
  var deadline: MonotonicInstant
  var metadata: Metadata
  var waitsForReady: Bool
  var compressesRequest: Bool

  init(_ method: MethodDescriptor, _ options: CallOptions, _ configuration: ChannelConfiguration) {
    // A call made while another is served must not outlive that one, on whatever channel.
    let served = CallContext.current
    deadline = min(CallScope.deadline ?? .distantFuture, served?.deadline ?? .distantFuture)
    if let timeout = options.timeout {
      let own = configuration.loops.loops[0].now.advanced(by: timeout)
      deadline = min(deadline, own)
    }
    metadata = configuration.metadata
    for entry in options.metadata.entries { metadata.append(entry.key, entry.value) }
    let traceparent = CallScope.traceparent ?? served?.metadata["traceparent"]
    if let traceparent, metadata["traceparent"] == nil {
      metadata.append("traceparent", traceparent)
    }
    waitsForReady = options.waitsForReady
    compressesRequest = options.compressesRequest
  }
}
