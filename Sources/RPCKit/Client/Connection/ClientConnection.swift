internal import Synchronization

/// One connection to a server: sends requests, delivers answers, and tells its owner how it fares.
///
/// `@unchecked Sendable`: everything but `load`, `inbox` and constants is touched on `loop` only;
/// each entry checks `loop.isCurrent`, and calls from other threads come through the inbox.
final class ClientConnection: TransportReceiver, TimerTarget, TurnEndTarget, @unchecked Sendable {
  /// The connection's record of an open call.
  struct CallRecord {
    enum Target {
      case call(ClientCall)
      /// A call of `RawCaller`, by the number its owner gave it.
      case raw(token: UInt64)
    }

    var target: Target
    var timer = TimerID.none
    /// Where in the stream of everything ever sent the request begins.
    var requestOffset: UInt64
  }

  let loop: any EventLoop
  let configuration: ClientConnectionConfiguration
  let transport: any Transport
  weak var owner: (any ClientConnectionOwner)?
  /// Kept alive until the connection closes.
  var rawDelegate: (any RawCallerDelegate)?

  /// Calls that were given to this connection and are not over.
  ///
  /// Anyone who picks the connection for a call adds one; the end of the call takes it off.
  let load = Atomic<Int>(0)
  /// Calls that may be open at a time.
  let capacity: Atomic<Int>
  let inbox = Lock(ClientConnectionInbox())

  var machine: ClientConnectionMachine<CallRecord>
  var decoder: FrameDecoder
  var output = ByteBuffer()
  /// Inflates and deflates; holds memory only while the connection is in use.
  let codec = FrameCodec()
  /// Bytes that the transport took.
  var writtenByteCount: UInt64 = 0
  var isFlushScheduled = false
  var isClosed = false
  /// The cause that closed the connection; nil while it is open, and when this side closed it.
  var failure: TransportError?
  /// Whether an answer ever arrived: a connection that served is worth making again at once.
  var wasUseful = false
  var watch = ConnectionWatch()
  /// Streams with messages that wait for room in `output`.
  var waitingWriters: [ClientCall] = []
  var unconsumedByteCount = 0
  var isReadingPaused = false

  init(
    _ transport: any Transport,
    configuration: ClientConnectionConfiguration
  ) {
    loop = transport.loop
    self.transport = transport
    self.configuration = configuration
    capacity = Atomic(configuration.limits.streamsPerConnectionMax)
    machine = ClientConnectionMachine(
      limits: configuration.limits,
      streamIDMax: configuration.streamIDMax
    )
    decoder = FrameDecoder(
      payloadByteCountMax: configuration.limits.frameByteCountMax,
      skippedByteCountMax: configuration.limits.skippedFrameByteCountMax
    )
  }

  /// Starts to connect.
  ///
  /// Loop only.
  func start() {
    preconditionOnLoop()
    transport.start(self)
  }

  func preconditionOnLoop() {
    precondition(loop.isCurrent, "a client connection is used off its loop")
  }

  /// Takes no more calls; closes when the open ones are over.
  ///
  /// Loop only.
  func drain() {
    preconditionOnLoop()
    guard machine.drain() == .stopStarting else { return }
    owner?.connectionIsDraining(self)
    closeIfDrained()
  }

  /// Ends every call and closes.
  ///
  /// Loop only.
  func close(_ error: TransportError? = nil) {
    preconditionOnLoop()
    guard !isClosed else { return }
    transport.close()
    shutDown(error)
  }

  // MARK: - TransportReceiver

  func transportConnected() {
    guard machine.connected() == .sendHello else { return }
    if configuration.sendsHello {
      appendHello()
    } else {
      _ = machine.assumeStock()
    }
    watch.lastRead = loop.now
    watch.connected = loop.now
    scheduleFlush()
    scheduleTick()
    owner?.connectionIsReady(self)
  }

  private func appendHello() {
    var settings = ConnectionSettings()
    settings.features = configuration.features
    settings.frameByteCountMax = configuration.limits.frameByteCountMax
    settings.streamCountMax = configuration.limits.streamsPerConnectionMax
    settings.streamWindowByteCount = configuration.limits.streamWindowByteCount
    settings.appendFrame(to: &output)
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    watch.lastRead = loop.now
    var offset = 0
    while !isClosed {
      switch decoder.next(bytes, &offset) {
      case .needMoreBytes:
        return
      case .frame(let header, let payload):
        watch.frameCount &+= 1
        receive(header, bytes, payload)
      case .gatheredFrame(let header):
        watch.frameCount &+= 1
        let frame = decoder.takeGathered()
        frame.withBytes { receive(header, $0, FrameHeader.byteCount..<$0.count) }
      case .oversize(let header):
        watch.frameCount &+= 1
        receiveOversize(header)
      case .unskippable(let header):
        close(
          TransportError(
            .connectionLost,
            // "HTTP" in front of a status line, read as a length.
            header.payloadByteCount == 0x4854_5450
              ? "the server speaks HTTP instead of ttrpc; is this the port for calls?"
              : "the server announced a frame of \(header.payloadByteCount) bytes"
          )
        )
      }
    }
  }

  func transportReceivedEnd() {
    close(TransportError(.connectionLost, "the server closed the connection"))
  }

  func transportBecameWritable() { scheduleFlush() }

  func transportClosed(_ error: TransportError?) {
    guard !isClosed else { return }
    shutDown(error ?? TransportError(.connectionLost, "the connection is closed"))
  }

  /// Fails what is open, once, and tells the owner.
  private func shutDown(_ failure: TransportError?) {
    isClosed = true
    // A channel has many addresses, and nobody who reads the error knows which one this was.
    let error = failure?.at(transport.peer.address)
    self.failure = error
    watch.cancelTick(on: loop)
    let records = machine.close()
    for record in records {
      finish(record)
      // Bytes that the transport never took cannot have reached the server.
      let wasSent = record.requestOffset < writtenByteCount
      fail(record, .connectionLost(error, isNotProcessed: !wasSent))
    }
    output.release()
    codec.compression.release()
    decoder = FrameDecoder(payloadByteCountMax: 0, skippedByteCountMax: 0)
    resumeWaitingWriters()
    owner?.connectionIsClosed(self, error)
    let delegate = rawDelegate
    rawDelegate = nil
    delegate?.rawConnectionClosed(error)
  }

  // MARK: - Output

  func scheduleFlush() {
    guard !isFlushScheduled, !isClosed else { return }
    isFlushScheduled = true
    loop.atEndOfTurn(self)
  }

  func turnEnded() {
    isFlushScheduled = false
    guard !isClosed, machine.phase != .connecting else { return }
    let before = output.byteCount
    transport.write(from: &output)
    let written = before - output.byteCount
    writtenByteCount &+= UInt64(written)
    if written > 0 || output.isEmpty { watch.outputProgressed = loop.now }
    if output.byteCount < configuration.limits.outputWriterByteCountMax { resumeWaitingWriters() }
    closeIfDrained()
  }

  func closeIfDrained() {
    guard machine.isDrained, output.isEmpty, !isClosed else { return }
    close(nil)
  }

  /// Lets everyone who waits for room look again.
  func resumeWaitingWriters() {
    guard !waitingWriters.isEmpty else { return }
    var writers: [ClientCall] = []
    swap(&writers, &waitingWriters)
    for writer in writers { writer.becameWritable() }
  }

  /// Lets every stream look for credit again: the dialect was settled.
  func resumeAllStreams() {
    for call in openCalls() { call.becameWritable() }
  }

  private func openCalls() -> [ClientCall] {
    var calls: [ClientCall] = []
    machine.streams.updateAll { _, stream in
      if case .call(let call) = stream.call.target { calls.append(call) }
    }
    return calls
  }
}

/// The owner of a connection, which hears of its events.
///
/// Loop only.
protocol ClientConnectionOwner: AnyObject {
  /// Calls may begin.
  func connectionIsReady(_ connection: ClientConnection)
  /// No more calls may begin; `connectionIsClosed` follows.
  func connectionIsDraining(_ connection: ClientConnection)
  /// A call ended on a connection that was full.
  func connectionHasRoom(_ connection: ClientConnection)
  /// The connection is gone; nil when this side asked for it.
  func connectionIsClosed(_ connection: ClientConnection, _ error: TransportError?)
}

/// The part of its channel's configuration that one connection needs.
struct ClientConnectionConfiguration: Sendable {
  var limits = Limits()
  var features: ConnectionSettings.Features = [.deflate]
  /// Off: the server is taken for a stock one from the beginning, and sees no byte of ours.
  var sendsHello = true
  var streamIDMax: UInt32 = 3 << 30
  var keepaliveInterval = Duration.seconds(30)
  var keepaliveTimeout = Duration.seconds(20)
}
