public import RPCKit

/// The other end of a connection under test: sends exactly the given bytes and keeps what
/// comes back.
///
/// It knows nothing of the protocol beyond where a frame ends.
///
/// ```swift
/// let peer = WirePeer.connect(to: address, simulation, network)
/// peer.send(WireFrame(stream: 1, type: WireFrame.request, payload: …))
/// try simulation.settle()
/// #expect(peer.takeFrames() == […])
/// ```
///
/// `@unchecked Sendable`: confined to the simulation's thread.
public final class WirePeer: TransportReceiver, @unchecked Sendable {
  /// Bytes that came and were not taken as frames yet.
  public private(set) var received: [UInt8] = []
  /// All bytes that ever came, counted.
  public private(set) var receivedByteCount = 0
  /// The connection was made.
  public private(set) var isConnected = false
  /// The other end sent its end of stream.
  public private(set) var sawEnd = false
  /// The connection is closed, from whichever side.
  public private(set) var isClosed = false
  /// Why, if this side did not ask for it.
  public private(set) var error: TransportError?
  /// Bytes that `send` was given and the connection has not taken yet.
  public var unsentByteCount: Int { output.byteCount }
  /// Called for each frame as soon as it is complete, before it can be taken: to answer at once.
  public var onFrame: ((WireFrame) -> Void)?

  private let simulation: Simulation
  private let loop: SimulatedEventLoop
  private var transport: (any Transport)?
  private var output = ByteBuffer()
  private var seenByteCount = 0

  private init(_ simulation: Simulation, loop: SimulatedEventLoop, transport: any Transport) {
    self.simulation = simulation
    self.loop = loop
    self.transport = transport
  }

  /// A client of its own loop, which connects as soon as the simulation runs.
  public static func connect(
    to address: SocketAddress,
    _ simulation: Simulation,
    _ network: SimulatedNetwork
  ) -> WirePeer {
    let loop = simulation.loop("peer")
    let peer = WirePeer(
      simulation,
      loop: loop,
      transport: network.connect(to: address, on: loop)
    )
    peer.onLoop { peer.transport?.start(peer) }
    return peer
  }

  /// A server: every connection that comes becomes a peer, which `accepted` is given.
  public static func listen(
    at address: SocketAddress,
    _ simulation: Simulation,
    _ network: SimulatedNetwork,
    accepted: @escaping (WirePeer) -> Void
  ) throws -> any Listener {
    let loop = simulation.loop("peer")
    let handOver = AcceptedPeers(accepted)
    return try simulation.run(on: loop) {
      try await network.listen(at: address, on: loop) { incoming in
        let transport = incoming.open(on: loop)
        let peer = WirePeer(simulation, loop: loop, transport: transport)
        transport.start(peer)
        handOver.accepted(peer)
      }
    }
  }

  // MARK: - Sending

  /// Sends bytes as they are.
  public func send(_ bytes: [UInt8]) {
    output.append(bytes.span)
    onLoop { flush() }
  }

  /// Sends frames.
  public func send(_ frames: WireFrame...) {
    for frame in frames { output.append(frame.bytes.span) }
    onLoop { flush() }
  }

  /// Stops or resumes reading: what a consumer that hangs looks like.
  public func setReading(_ isReading: Bool) { onLoop { transport?.setReading(isReading) } }

  /// Sends the end of stream.
  public func closeOutput() { onLoop { transport?.closeOutput() } }

  /// Closes both directions.
  public func close() { onLoop { transport?.close() } }

  // MARK: - Receiving

  /// Takes every complete frame that came; what is left stays in `received`.
  public func takeFrames() -> [WireFrame] {
    var frames: [WireFrame] = []
    while let frame = WireFrame(takingFrom: &received) { frames.append(frame) }
    seenByteCount = 0
    return frames
  }

  /// Notes that the stream is usable.
  public func transportConnected() {
    isConnected = true
    flush()
  }

  /// Gathers the bytes into frames.
  public func transportReceived(_ bytes: Span<UInt8>) {
    for index in bytes.indices { received.append(bytes[index]) }
    receivedByteCount += bytes.count
    guard let onFrame else { return }
    var rest = Array(received.dropFirst(seenByteCount))
    while let frame = WireFrame(takingFrom: &rest) {
      seenByteCount = received.count - rest.count
      onFrame(frame)
    }
  }

  /// Notes the end of the stream.
  public func transportReceivedEnd() { sawEnd = true }

  /// Writes on.
  public func transportBecameWritable() { flush() }

  /// Notes that the stream is closed.
  public func transportClosed(_ error: TransportError?) {
    isClosed = true
    self.error = error
    transport = nil
    onFrame = nil
  }

  private func flush() { if isConnected { transport?.write(from: &output) } }

  private func onLoop(_ body: () -> Void) { simulation.on(loop, body) }
}

/// Carries a test's closure into the network's; confined to the simulation's thread.
private final class AcceptedPeers: @unchecked Sendable {
  let accepted: (WirePeer) -> Void

  init(_ accepted: @escaping (WirePeer) -> Void) {
    self.accepted = accepted
  }
}
