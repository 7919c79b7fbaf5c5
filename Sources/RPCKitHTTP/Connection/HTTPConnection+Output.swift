internal import RPCKit

/// Outgoing bytes, and how they hold back incoming ones.
extension HTTPConnection {
  /// Writes at the end of the turn, together with everything else the turn produces.
  final func scheduleFlush() {
    guard !isFlushScheduled, phase != .closed else { return }
    isFlushScheduled = true
    loop.atEndOfTurn(self)
  }

  package func turnEnded() {
    isFlushScheduled = false
    flush()
  }

  /// Writes what the transport takes, and goes on with whatever waited for that.
  final func flush() {
    guard let stream else { return }
    var written = 0
    while true {
      produce()
      let waiting = output.byteCount
      guard waiting > 0 else { break }
      stream.write(from: &output)
      written += waiting - output.byteCount
      guard output.isEmpty else { break }
    }
    guard phase != .closed else { return }
    core.observer.sent(byteCount: written)
    noteOutput(hasProgress: written > 0)
    guard phase != .closed else { return }
    if unreadByteCount < limits.outputWriterByteCountMax { wakeWriters() }
    if phase == .draining, exchanges.isEmpty, !hasBegunRequest { stopUse(.drained) }
    updateReading()
    if phase == .flushing, output.isEmpty, heldOutputByteCount == 0 { finishOutput() }
  }

  private final func noteOutput(hasProgress: Bool) {
    let byteCount = outputByteCount
    guard byteCount <= limits.outputByteCountMax else {
      core.observer.limitReached(.outputBytes)
      return close(.limit)
    }
    // The memory counts and not the bytes: of an answer that was taken up to its last byte all of it is held.
    if output.isEmpty { output.release() } else { output.shrink() }
    watchOutput(isWaiting: unreadByteCount > 0, hasProgress: hasProgress)
    count(.output, output.allocatedByteCount + heldOutputMemory)
    // What an answer has gone out of, or now waits for the client, is another sum than before.
    if countedByteCount(.assembly) > 0 || exchanges.count > calls.count { countInput() }
  }

  /// Bytes of answers that the client has not taken.
  final var outputByteCount: Int { output.byteCount + heldOutputByteCount }

  private final func wakeWriters() {
    guard hasWaitingWriters else { return }
    hasWaitingWriters = false
    // The exchanges of calls only, and copied: what is woken may end its call.
    for exchange in calls.values {
      if maySendBody(of: exchange) {
        exchange.becameWritable()
      } else {
        hasWaitingWriters = true
      }
    }
  }

  /// Whether so little output waits that another call may add to it.
  final var hasRoomForAnswers: Bool { hasRoomForAnswers(beside: outputByteCount) }

  /// Reads while there is room and the output is small: a client that sends and never reads is pushed back.
  final func updateReading() {
    let wanted: Bool
    switch phase {
    case .serving, .draining:
      wanted = hasRoomForInput && unreadByteCount <= limits.outputPauseByteCount
    case .flushing, .lingering: wanted = discardedByteCount <= limits.discardedByteCountMax
    case .closed: wanted = false
    }
    guard wanted != isReading else { return }
    isReading = wanted
    stream?.setReading(wanted)
  }
}
