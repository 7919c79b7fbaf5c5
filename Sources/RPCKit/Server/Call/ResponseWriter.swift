/// Sends the messages of one streaming response, from one task at a time.
public struct ResponseWriter<Response: Message>: Sendable {
  let call: CallContext

  /// Sends one message; waits while the client has no room for it.
  ///
  /// Throws `RPCError` when the call is over: cancelled, past its deadline or disconnected. The
  /// handler should return then.
  public func write(_ message: Response) async throws {
    if call.loop.isCurrent {
      try await writeOnLoop(message)
    } else {
      try await withTaskExecutorPreference(call.loop) {
        try await writeOnLoop(message)
      }
    }
  }

  /// Leaves the caller's actor for the preferred executor, which is the loop.
  @concurrent
  private func writeOnLoop(_ message: Response) async throws {
    // Each level of `await` costs about 80 ns.
    if try !call.maySend() { try await waitForRoom() }
    guard message.isLong else { return try call.send(message) }
    let encoded = try await call.encodedForStream(message)
    // Others of the connection may have taken the room in the meantime.
    try await waitForRoom()
    try call.send(encoded)
  }

  /// Loop only.
  private func waitForRoom() async throws {
    while try !call.maySend() {
      // The client may take its time: a stream that it does not read is not work.
      await call.waiting {
        await withTaskCancellationHandler {
          await withCheckedContinuation { call.waitToSend($0) }
        } onCancel: {
          call.loop.execute { call.wakeWriter() }
        }
      }
      try Task.checkCancellation()
    }
  }
}
