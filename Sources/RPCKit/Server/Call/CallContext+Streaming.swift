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
    // Exchanged, because a property that is only loaded and stored needs no check when it is read.
    var writer: CheckedContinuation<Void, Never>? = continuation
    swap(&writer, &waitingWriter)
    connection.writerWaits(self)
  }

  /// Lets a parked writer look again.
  ///
  /// Loop only.
  package func wakeWriter() {
    waitingWriter.take()?.resume()
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
