internal import RPCKit

/// Frames of the server.
extension HTTP2Caller {
  private static let refusedStream: UInt32 = 7
  private static let cancel: UInt32 = 8
  private static let calm: UInt32 = 11
  private static let fragmentByteCountMax = 1 << 20

  /// Reads whole frames; returns how many bytes they have.
  func readFrames(_ bytes: Span<UInt8>) -> Int {
    var start = 0
    while phase != .closed, bytes.count - start >= HTTP2Frame.headerByteCount {
      let (frame, byteCount) = HTTP2Frame.read(bytes.extracting(start..<bytes.count))
      guard phase != .greeting || frame.kind == .settings, byteCount <= HTTP2Frame.byteCountMax
      else {
        lose(
          phase == .greeting
            ? "the server does not answer in HTTP/2" : "the server sends a frame that is too long"
        )
        break
      }
      let begin = start + HTTP2Frame.headerByteCount
      guard bytes.count - begin >= byteCount else { break }
      start = begin + byteCount
      if let problem = read(frame, bytes.extracting(begin..<start)) {
        lose("the server breaks HTTP/2: \(problem)")
      }
    }
    return start
  }

  /// Returns what is wrong with the frame.
  private func read(_ frame: HTTP2Frame, _ payload: Span<UInt8>) -> String? {
    guard fragment == nil || frame.kind == .continuation else {
      return "a block of fields breaks off"
    }
    switch frame.kind {
    case .data: return readData(frame, payload)
    case .headers:
      guard let range = frame.content(payload, byteCount: payload.count, hasPriority: true) else {
        return "padding"
      }
      return readBlock(frame, payload.extracting(range))
    case .continuation: return readContinuation(frame, payload)
    case .reset where payload.count == 4: readReset(frame.stream, payload.number(at: 0))
    case .settings where payload.count % 6 == 0: readSettings(frame, payload)
    case .ping where payload.count == 8: readPing(frame, payload)
    case .goAway where payload.count >= 8: readGoAway(payload)
    case .windowUpdate where payload.count == 4: readWindow(frame.stream, payload.number(at: 0))
    case .pushPromise: return "a push that was forbidden"
    case nil: break
    default: return "a frame of a wrong length"
    }
    return nil
  }

  private func readData(_ frame: HTTP2Frame, _ payload: Span<UInt8>) -> String? {
    guard let range = frame.content(payload, byteCount: payload.count, hasPriority: false) else {
      return "padding"
    }
    receivedByteCount += payload.count
    if receivedByteCount > 1 << 29 {
      appendWindow(receivedByteCount)
      receivedByteCount = 0
    }
    guard let call = calls[frame.stream] else { return nil }
    guard call.received(content: payload.extracting(range)) else {
      calls[frame.stream] = nil
      reset(frame.stream)
      finish(call, frame.stream, .failed(.resourceExhausted), "the answer is too long")
      return nil
    }
    if frame.has(HTTP2Frame.endStream) { endAnswer(frame.stream) }
    return nil
  }

  private func readBlock(_ frame: HTTP2Frame, _ block: Span<UInt8>) -> String? {
    guard frame.has(HTTP2Frame.endHeaders) else {
      var bytes: [UInt8] = []
      for index in block.indices { bytes.append(block[index]) }
      fragment = (frame, bytes)
      return nil
    }
    return readFields(frame, block)
  }

  private func readContinuation(_ frame: HTTP2Frame, _ block: Span<UInt8>) -> String? {
    guard let (first, begun) = fragment.take(), first.stream == frame.stream,
      begun.count + block.count <= Self.fragmentByteCountMax
    else { return "a continuation of nothing" }
    var bytes = begun
    for index in block.indices { bytes.append(block[index]) }
    guard frame.has(HTTP2Frame.endHeaders) else {
      fragment = (first, bytes)
      return nil
    }
    return readFields(first, bytes.span)
  }

  private func readFields(_ frame: HTTP2Frame, _ block: Span<UInt8>) -> String? {
    // Blocks of calls that are given up change the table too.
    let call = calls[frame.stream]
    guard inflater.read(block, { call?.received($0, $1) }) else { return "a block of fields" }
    if frame.has(HTTP2Frame.endStream) { endAnswer(frame.stream) }
    return nil
  }

  private func endAnswer(_ stream: UInt32) {
    guard let call = calls.removeValue(forKey: stream) else { return }
    finish(call, stream, nil)
  }

  private func readReset(_ stream: UInt32, _ code: UInt32) {
    guard let call = calls.removeValue(forKey: stream) else { return }
    if waiting?.stream == stream { waiting = nil }
    let end: CallEnd =
      switch code {
      case Self.refusedStream: .notProcessed(.unavailable)
      case Self.cancel: .failed(.cancelled)
      case Self.calm: .failed(.resourceExhausted)
      default: .failed(.internal)
      }
    finish(call, stream, end, "the server reset the stream with code \(code)")
  }

  private func readSettings(_ frame: HTTP2Frame, _ payload: Span<UInt8>) {
    guard !frame.has(HTTP2Frame.acknowledgement) else { return }
    for start in stride(from: 0, to: payload.count, by: 6) {
      let value = payload.number(at: start + 2)
      switch UInt16(payload[start]) << 8 | UInt16(payload[start + 1]) {
      case 1:
        blocks = FieldBlocks(call, tableByteCount: Int(value))
        hasSentFirst = false
      case 3: streamCountMax = Int(value)
      case 4:
        waiting?.window += Int(value) - streamWindow
        streamWindow = Int(value)
      default: break
      }
    }
    HTTP2Frame.append(.settings, 0, flags: HTTP2Frame.acknowledgement, to: &output)
    sendWaiting()
    guard phase == .greeting else { return giveRoom() }
    phase = .open
    delegate?.callerReady()
  }

  private func readPing(_ frame: HTTP2Frame, _ payload: Span<UInt8>) {
    guard !frame.has(HTTP2Frame.acknowledgement) else { return }
    HTTP2Frame.append(.ping, 8, flags: HTTP2Frame.acknowledgement, to: &output)
    output.append(payload)
  }

  private func readGoAway(_ payload: Span<UInt8>) {
    let last = payload.number(at: 0) & 0x7FFF_FFFF
    phase = .draining
    delegate?.callerDrains()
    for stream in calls.keys.sorted() where stream > last {
      guard let call = calls.removeValue(forKey: stream) else { continue }
      if waiting?.stream == stream { waiting = nil }
      finish(call, stream, .notProcessed(.unavailable), "the server takes no more calls")
    }
  }

  private func readWindow(_ stream: UInt32, _ byteCount: UInt32) {
    let byteCount = Int(byteCount & 0x7FFF_FFFF)
    if stream == 0 {
      window += byteCount
    } else if waiting?.stream == stream {
      waiting?.window += byteCount
    } else {
      return
    }
    sendWaiting()
    giveRoom()
  }
}
