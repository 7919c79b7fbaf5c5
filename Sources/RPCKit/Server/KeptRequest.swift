/// Requests that stay bytes for a while, and are read in the call's task.
extension CallContext {
  /// The longest request that is read in the event that brings it, in bytes.
  ///
  /// JSON takes about 35 ns a byte at worst, so that all other connections of the loop wait for half a millisecond.
  @usableFromInline static let readOnLoopByteCountMax = 16 << 10

  /// Whether a request stays bytes: until the interceptors have let the call in, since what a message may contain, and
  /// what it costs to find out, is not for strangers; and if it is large.
  ///
  /// Loop only.
  @usableFromInline
  func keeps(_ payload: Span<UInt8>) -> Bool {
    isIntercepted || payload.count > Self.readOnLoopByteCountMax
  }

  /// A request that stays bytes.
  @usableFromInline
  func kept(_ payload: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.replaceAll(with: payload)
    return bytes
  }

  /// The call ends because its request cannot be read.
  ///
  /// How fast that is found says nothing of the handlers.
  @usableFromInline
  func isUnreadable() {
    guard loop.isCurrent else { return loop.execute { [self] in tellsLatency = false } }
    tellsLatency = false
  }
}

extension Message {
  /// As `init(received:by:)`, for a request that was kept; a large one is read away from the loop.
  @inlinable
  init(kept payload: [UInt8], by call: CallContext) async throws(RPCError) {
    do throws(RPCError) {
      guard payload.count > CallContext.readOnLoopByteCountMax else {
        try self.init(received: payload.span, by: call)
        return
      }
      self = try await withTaskExecutorPreference(call.loop.executorOfLongWork) {
        () async throws(RPCError) -> Self in
        try await Self.readElsewhere(payload, by: call)
      }
    } catch {
      call.isUnreadable()
      throw error
    }
  }

  /// Leaves the caller's actor for the preferred executor.
  @inlinable
  @concurrent
  static func readElsewhere(
    _ payload: [UInt8],
    by call: CallContext
  ) async throws(RPCError) -> Self {
    try Self(received: payload.span, by: call)
  }
}
