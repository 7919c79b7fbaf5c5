/// TLS over any other transport: plaintext on this side, ciphertext on the inner one.
///
/// Loop only, like every transport. The receiver hears `transportConnected` after the handshake,
/// when `peer` has the verified certificate and the agreed protocol. A stream that ends without
/// TLS's own end-of-data is reported as lost, because anyone on the way could have cut it.
package final class TLSTransport {
  private let inner: any Transport
  private var session: TLSSession
  private let handshakeTimeout: Duration
  private var receiver: (any TransportReceiver)?

  private var phase = Phase.unconnected
  private var timer = TimerID.none
  private var authenticatedPeer: Peer?

  // What the receiver wants, remembered while it cannot be done yet.
  private var isReadingWanted = true
  private var isRoomWanted = false
  private var isOutputClosed = false

  private var isCloseNotifyReceived = false
  private var isInnerEndReceived = false
  private var isInnerOutputClosed = false
  private var isTurnEndPending = false

  /// Where the connection stands.
  private enum Phase {
    /// The inner transport has no connection yet. Next: `handshaking`, `ending`, `closed`.
    case unconnected
    /// Both sides prove themselves; a timer runs. Next: `open`, `ending`, `closed`.
    case handshaking
    /// Data flows. Next: `ending`, `closed`.
    case open
    /// The inner transport is being closed. Next: `closed`, with this error.
    case ending(TransportError?)
    /// Terminal.
    case closed
  }

  /// The memory of a handshake while it is under way, in bytes, about: measured with OpenSSL 3.0.
  package static let handshakeByteCount = 43 << 10
  /// The memory of an open connection at rest, in bytes, about.
  package static let openByteCount = 16 << 10

  /// Ciphertext that may wait for the inner transport before plaintext is no longer accepted.
  package static let outboundByteCountMax = 256 * 1024
  /// A peer that makes us answer but does not read is dropped when this much waits.
  private static let outboundByteCountHostile = 2 * outboundByteCountMax

  /// Wraps a transport that was not started yet.
  ///
  /// `expectedHost` is for clients and only used when the configuration names no host. Throws when
  /// a client has no host to verify, or an impossible one.
  package init(
    over inner: any Transport,
    context: TLSContext,
    expectedHost: String? = nil,
    handshakeTimeout: Duration = .seconds(10)
  ) throws(TLSError) {
    var host: ExpectedHost?
    if case .client(_, _, let configuredHost) = context.configuration.role {
      guard let name = configuredHost ?? expectedHost else {
        throw TLSError(.invalidHost, "a client must name the host that it expects")
      }
      host = try ExpectedHost(name)
    }
    self.inner = inner
    self.handshakeTimeout = handshakeTimeout
    session = try TLSSession(context, expectedHost: host)
  }
}

extension TLSTransport: Transport {
  package var loop: any EventLoop { inner.loop }

  package var peer: Peer { authenticatedPeer ?? inner.peer }

  package func start(_ receiver: any TransportReceiver) {
    assertOnLoop()
    precondition(self.receiver == nil, "a transport is started once")
    self.receiver = receiver
    inner.start(self)
  }

  package func handOver(to receiver: any TransportReceiver) {
    assertOnLoop()
    precondition(self.receiver != nil, "only a stream in use is handed over")
    self.receiver = receiver
  }

  package func write(from output: inout ByteBuffer) {
    assertOnLoop()
    guard !output.isEmpty, !isOutputClosed else { return }
    switch phase {
    case .ending, .closed: return
    case .unconnected, .handshaking: isRoomWanted = true
    case .open:
      while !output.isEmpty, session.outboundByteCount == 0 {
        while !output.isEmpty, session.outboundByteCount <= Self.outboundByteCountMax {
          if let error = session.write(from: &output) {
            return fail(.tlsFailed, error.description)
          }
        }
        flush()
      }
      isRoomWanted = !output.isEmpty
    }
  }

  package func setReading(_ isReading: Bool) {
    assertOnLoop()
    isReadingWanted = isReading
    // The handshake has to read; the wish is carried out after it.
    guard case .open = phase else { return }
    inner.setReading(isReading)
    if isReading { deliverAtEndOfTurn() }
  }

  package func noteKnown() { inner.noteKnown() }

  package var unacknowledgedByteCount: Int {
    session.outboundByteCount + inner.unacknowledgedByteCount
  }

  package func closeOutput() {
    assertOnLoop()
    guard !isOutputClosed else { return }
    isOutputClosed = true
    isRoomWanted = false
    if case .open = phase { endOutput() }
  }

  package func close() {
    assertOnLoop()
    switch phase {
    case .ending, .closed: return
    case .unconnected, .handshaking, .open:
      if !isOutputClosed { session.sendCloseNotify() }
      end(nil)
    }
  }
}

extension TLSTransport: TransportReceiver {
  package func transportConnected() {
    assertOnLoop()
    guard case .unconnected = phase else { return }
    phase = .handshaking
    timer = loop.schedule(
      at: loop.now.advanced(by: handshakeTimeout),
      target: self,
      token: 0
    )
    advanceHandshake()
  }

  package func transportReceived(_ bytes: Span<UInt8>) {
    assertOnLoop()
    switch phase {
    case .unconnected, .ending, .closed: return
    case .handshaking:
      session.feed(bytes)
      advanceHandshake()
    case .open:
      // After close_notify nothing can be authentic (RFC 8446 section 6.1).
      guard !isCloseNotifyReceived else { return }
      session.feed(bytes)
      deliver()
    }
  }

  package func transportReceivedEnd() {
    assertOnLoop()
    isInnerEndReceived = true
    switch phase {
    case .unconnected, .ending, .closed: return
    case .handshaking: fail(.connectFailed, "the peer closed in the middle of the TLS handshake")
    case .open: deliver()
    }
  }

  package func transportBecameWritable() {
    assertOnLoop()
    flush()
    offerRoom()
  }

  package func transportClosed(_ error: TransportError?) {
    assertOnLoop()
    loop.cancel(timer)
    let outcome: TransportError?
    switch phase {
    case .closed: return
    case .ending(let reason): outcome = reason
    case .unconnected: outcome = error
    case .handshaking:
      outcome = error ?? TransportError(.connectFailed, "closed in the middle of the TLS handshake")
    case .open:
      outcome = error ?? (isCloseNotifyReceived ? nil : Self.truncated)
    }
    phase = .closed
    let receiver = receiver
    self.receiver = nil
    receiver?.transportClosed(outcome)
  }
}

extension TLSTransport: TimerTarget, TurnEndTarget {
  package func timerFired(_ token: UInt64) {
    guard case .handshaking = phase else { return }
    fail(.handshakeTimedOut, "the TLS handshake did not finish within \(handshakeTimeout)")
  }

  package func turnEnded() {
    isTurnEndPending = false
    if case .open = phase { deliver() }
  }
}

extension TLSTransport {
  private static let truncated = TransportError(
    .connectionLost,
    "the peer closed without TLS close_notify: the stream may be cut off"
  )

  private func assertOnLoop() {
    assert(loop.isCurrent, "a TLS transport was used outside its event loop")
  }

  private func advanceHandshake() {
    let outcome = session.handshake()
    flush()
    switch outcome {
    case .wantsInput: session.releaseEmptyBuffers()
    case .failed(let error): fail(.tlsFailed, "TLS \(error.description)")
    case .complete: becomeOpen()
    }
  }

  private func becomeOpen() {
    loop.cancel(timer)
    authenticatedPeer = Peer(
      address: inner.peer.address,
      source: inner.peer.source,
      certificate: session.peerCertificate,
      applicationProtocol: session.applicationProtocol
    )
    if session.lacksRequiredApplicationProtocol {
      return fail(.tlsFailed, "TLS handshake: the peer agreed on no application protocol")
    }
    phase = .open
    if !isReadingWanted { inner.setReading(false) }
    receiver?.transportConnected()
    guard case .open = phase else { return }
    if isOutputClosed { endOutput() }
    offerRoom()
    deliver()
  }

  /// Hands plaintext to the receiver for as long as it wants to read and records are complete.
  private func deliver() {
    // Lives only as long as this call: an idle connection holds no buffer.
    var plaintext = ByteBuffer()
    reading: while case .open = phase, isReadingWanted, !isCloseNotifyReceived {
      switch session.read(into: &plaintext) {
      case .received:
        plaintext.withBytes { receiver?.transportReceived($0) }
        plaintext.consume(plaintext.byteCount)
      case .wantsInput:
        break reading
      case .ended:
        isCloseNotifyReceived = true
        receiver?.transportReceivedEnd()
      case .failed(let error):
        flush()
        fail(.tlsFailed, "TLS \(error.description)")
      }
    }
    guard case .open = phase else { return }
    // Answers to post-handshake messages.
    flush()
    if session.outboundByteCount > Self.outboundByteCountHostile {
      fail(.tlsFailed, "the peer causes answers and does not read them")
    } else if isInnerEndReceived, isReadingWanted, !isCloseNotifyReceived {
      fail(Self.truncated)
    } else {
      endIfBothEnded()
    }
  }

  /// Delivers what is left from before a pause, but not from inside `setReading`.
  private func deliverAtEndOfTurn() {
    guard !isTurnEndPending else { return }
    isTurnEndPending = true
    loop.atEndOfTurn(self)
  }

  private func endOutput() {
    session.sendCloseNotify()
    flush()
    endIfBothEnded()
  }

  /// Passes ciphertext on; once all of it is gone, an end of output that waited for that too.
  private func flush() {
    session.drainOutbound { inner.write(from: &$0) }
    session.releaseEmptyBuffers()
    guard case .open = phase, isOutputClosed, session.outboundByteCount == 0 else { return }
    if !isInnerOutputClosed {
      isInnerOutputClosed = true
      inner.closeOutput()
    }
    endIfBothEnded()
  }

  private func offerRoom() {
    guard case .open = phase, isRoomWanted,
      session.outboundByteCount <= Self.outboundByteCountMax / 2
    else { return }
    isRoomWanted = false
    receiver?.transportBecameWritable()
  }

  /// Closes for good when both sides have said that nothing follows.
  private func endIfBothEnded() {
    guard case .open = phase, isCloseNotifyReceived, isInnerOutputClosed else { return }
    end(nil)
  }

  private func fail(_ reason: TransportError.Reason, _ description: String) {
    fail(TransportError(reason, description))
  }

  private func fail(_ error: TransportError) {
    end(error)
  }

  /// Sends what is left, an alert for example, as far as there is room, and closes.
  private func end(_ error: TransportError?) {
    switch phase {
    case .ending, .closed: return
    case .unconnected, .handshaking, .open: break
    }
    phase = .ending(error)
    loop.cancel(timer)
    session.drainOutbound { inner.write(from: &$0) }
    inner.close()
  }
}
