extension CallContext {
  /// Sends one message of a response stream.
  ///
  /// Loop only.
  func send<Response: Message>(_ message: Response) throws(RPCError) {
    guard !isOver else { throw RPCError(.cancelled, .cancelled, "the call is over") }
    try connection.send(for: self) { buffer, prefix in
      message.append(to: &buffer, prefix: prefix)
    }
    tellsLatency = false
    connection.core.observer.sentMessage(self)
  }

  /// As the other `send`, for a message that was encoded elsewhere.
  ///
  /// Loop only.
  func send(_ message: EncodedMessage) throws(RPCError) {
    guard !isOver else { throw RPCError(.cancelled, .cancelled, "the call is over") }
    try connection.send(for: self, message)
    tellsLatency = false
    connection.core.observer.sentMessage(self)
  }

  /// Whether what is sent now is compressed, as far as the client can read it.
  package var compresses: Bool {
    compressesResponses ?? connection.core.configuration.compressesResponses
  }

  /// Whether a stream message may be sent now.
  ///
  /// Loop only.
  func maySend() throws(RPCError) -> Bool {
    guard !isOver else { throw RPCError(.cancelled, .cancelled, "the call is over") }
    return connection.maySend(self)
  }

  /// Parks a writer until credit or room comes, or the call is over.
  ///
  /// Loop only.
  func waitToSend(_ continuation: CheckedContinuation<Void, Never>) {
    precondition(waitingWriter == nil, "one task at a time writes to a response stream")
    if isOver || Task.isCancelled { return continuation.resume() }
    connection.core.observer.writerStalled()
    waitingWriter = WaitingWriter(continuation: continuation)
    connection.writerWaits(self)
  }

  /// Lets a parked writer look again.
  ///
  /// Loop only.
  package func wakeWriter() {
    guard let writer = waitingWriter else { return }
    waitingWriter = nil
    writer.continuation.resume()
  }

  /// The handler took a message of a stream.
  ///
  /// From any thread.
  func consumed(_ cost: Int) {
    guard cost > 0 else { return }
    guard loop.isCurrent else { return loop.execute { [self] in consumed(cost) } }
    connection.consumed(cost, of: self)
  }
}

/// A writer that waits for credit or room.
///
/// An object, because most calls have none: a reference is looked at and freed in fewer instructions than a
/// continuation, whose layout is not known to the compiler.
final class WaitingWriter: Sendable {
  let continuation: CheckedContinuation<Void, Never>

  init(continuation: CheckedContinuation<Void, Never>) {
    self.continuation = continuation
  }
}
