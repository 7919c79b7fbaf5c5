/// The requests of other threads to a connection, in order.
///
/// One loop wake-up serves a whole batch.
struct ClientConnectionInbox {
  enum Item {
    case begin(ClientCall)
    case cancel(ClientCall)
    /// Anything rarer.
    case run(@Sendable (ClientConnection) -> Void)
  }

  var items: [Item] = []
  var isScheduled = false
}

extension ClientConnection {
  /// Hands something over to the loop.
  ///
  /// Any thread; never runs inline.
  func submit(_ item: ClientConnectionInbox.Item) {
    let schedules = inbox.withLock { inbox in
      inbox.items.append(item)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if schedules { loop.execute { [self] in drainInbox() } }
  }

  private func drainInbox() {
    let items = inbox.withLock { inbox in
      defer {
        inbox.items = []
        inbox.isScheduled = false
      }
      return inbox.items
    }
    for item in items {
      switch item {
      case .begin(let call): beginEncoded(call)
      case .cancel(let call): cancel(call)
      case .run(let body): body(self)
      }
    }
  }

  private func beginEncoded(_ call: ClientCall) {
    begin(call) { output, prefix in call.appendPayload(to: &output, prefix: prefix) }
  }

  /// Begins a call whose request is encoded, at once if the caller is on the loop.
  ///
  /// Any thread.
  func beginSoon(_ call: ClientCall) {
    if loop.isCurrent { beginEncoded(call) } else { submit(.begin(call)) }
  }

  /// Begins a streaming call, or says why the connection takes none: it may have begun to drain
  /// since it was chosen.
  ///
  /// Any thread.
  func open(_ call: StreamingCall) async -> Result<Void, RPCError> {
    await CallContinuation<Void>.suspend { continuation in
      if loop.isCurrent {
        continuation.resume(openNow(call))
      } else {
        submit(.run { connection in continuation.resume(connection.openNow(call)) })
      }
    }
  }

  private func openNow(_ call: StreamingCall) -> Result<Void, RPCError> {
    beginEncoded(call)
    return call.outcomeForWriters.map { .failure($0) } ?? .success(())
  }

  /// Runs `body` with an open streaming call, which is over when this returns.
  ///
  /// Cancelling the task ends the call at once, and with it everything in `body` that waits for it.
  func run<Result>(
    _ call: StreamingCall,
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await withTaskCancellationHandler {
      defer { submit(.cancel(call)) }
      return try await body()
    } onCancel: {
      submit(.cancel(call))
    }
  }
}
