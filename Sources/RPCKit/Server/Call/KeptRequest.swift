/// Requests that stay bytes for a while, and are read in the call's task.
extension CallContext {
  /// The longest request that is read in the event that brings it, in bytes.
  ///
  /// JSON takes about 35 ns a byte at worst, so that all other connections of the loop wait for half a millisecond.
  @usableFromInline static let readOnLoopByteCountMax = 16 << 10

  /// Whether a request stays bytes: until the interceptors have let the call in, since what a message may contain, and
  /// what it costs to find out, is not for strangers; and if it is large, or still compressed.
  ///
  /// Loop only.
  @usableFromInline
  func keeps(_ payload: Span<UInt8>) -> Bool {
    isIntercepted || inflation != nil || payload.count > Self.readOnLoopByteCountMax
  }

  /// A request that stays bytes.
  @usableFromInline
  func kept(_ payload: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.replaceAll(with: payload)
    return bytes
  }

  /// Whether a request that was kept is read away from the loop.
  @usableFromInline
  func isReadElsewhere(_ payload: [UInt8]) -> Bool {
    inflation != nil || payload.count > Self.readOnLoopByteCountMax
  }

  /// The request as it was before it was compressed.
  @usableFromInline
  func inflated(_ payload: [UInt8]) throws(RPCError) -> [UInt8] {
    guard let inflation else { return payload }
    return try inflation.plain(payload)
  }

  /// A message of a stream of requests was so many bytes longer than it came.
  fileprivate func inflatedElsewhere(_ byteCount: Int) {
    guard loop.isCurrent else {
      return loop.execute { [self] in inflatedElsewhere(byteCount) }
    }
    if !isOver { connection.inflatedElsewhere(byteCount, of: self) }
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
  /// As `received(_:by:)`, for the one request of a call, which was kept; a large one is inflated and read away from
  /// the loop.
  @inlinable
  init(kept payload: [UInt8], by call: CallContext) async throws(RPCError) {
    do throws(RPCError) {
      guard call.isReadElsewhere(payload) else {
        self = try Self.received(payload.span, by: call)
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
    let plain = try call.inflated(payload)
    return try received(plain.span, by: call)
  }

  /// As `init(kept:by:)`, for one of a stream of requests.
  init(
    kept payload: [UInt8],
    _ inflation: Inflation?,
    by call: CallContext
  ) async throws(RPCError) {
    guard let inflation else {
      try await self.init(streamed: payload, by: call)
      return
    }
    let plain: [UInt8]
    do throws(RPCError) {
      plain = try await withTaskExecutorPreference(call.loop.executorOfLongWork) {
        () async throws(RPCError) -> [UInt8] in
        try await Self.inflateElsewhere(payload, inflation)
      }
    } catch {
      call.isUnreadable()
      throw error
    }
    call.inflatedElsewhere(plain.count - payload.count)
    try await self.init(streamed: plain, by: call)
  }

  /// A message of a stream, as it was before it was compressed.
  private init(streamed payload: [UInt8], by call: CallContext) async throws(RPCError) {
    do throws(RPCError) {
      guard payload.count > CallContext.readOnLoopByteCountMax else {
        self = try Self.received(payload.span, by: call)
        return
      }
      self = try await withTaskExecutorPreference(call.loop.executorOfLongWork) {
        () async throws(RPCError) -> Self in
        try await Self.readPlainElsewhere(payload, by: call)
      }
    } catch {
      call.isUnreadable()
      throw error
    }
  }

  /// See `readElsewhere`.
  @concurrent
  private static func inflateElsewhere(
    _ payload: [UInt8],
    _ inflation: Inflation
  ) async throws(RPCError) -> [UInt8] {
    try inflation.plain(payload)
  }

  /// See `readElsewhere`.
  @concurrent
  private static func readPlainElsewhere(
    _ payload: [UInt8],
    by call: CallContext
  ) async throws(RPCError) -> Self {
    try received(payload.span, by: call)
  }
}
