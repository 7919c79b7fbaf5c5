internal import RPCKit

/// Ends of calls.
extension HTTP2Caller {
  /// Ends a call that is taken out of `calls` already.
  func finish(_ call: HTTP2Call, _ stream: UInt32, _ end: CallEnd?, _ text: String = "") {
    if waiting?.stream == stream { reset(stream) }
    if let end {
      delegate?.callEnded(call.token, end, Array(text.utf8).span)
    } else {
      call.end(isGRPC: self.call.isGRPC) { delegate?.callEnded(call.token, $0, $1) }
    }
    unused.append(call)
    giveRoom()
  }

  func giveRoom() {
    guard hasRefused, phase == .open, waiting == nil, calls.count < streamCountMax else { return }
    hasRefused = false
    delegate?.callerHasRoom()
  }

  func reset(_ stream: UInt32) {
    if waiting?.stream == stream { waiting = nil }
    HTTP2Frame.append(.reset, 4, stream: stream, to: &output)
    output.append(bigEndian: 8)
    scheduleFlush()
  }

  func endLateCalls() {
    guard timeoutNanoseconds != nil, phase != .closed else { return }
    let now = transport.loop.now
    while oldestStream < nextStream {
      if let call = calls[oldestStream] {
        guard call.deadline <= now else { return }
        calls[oldestStream] = nil
        reset(oldestStream)
        finish(call, oldestStream, .failed(.deadlineExceeded), "no answer in time")
      }
      oldestStream += 2
    }
  }
}
