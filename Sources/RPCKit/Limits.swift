/// Every bound that a connection, server or client keeps, in one place.
///
/// Reaching one never traps and never grows memory: it is a status, back-pressure or a closed
/// connection, and counted in `rpckit_limit_reached_total`.
public struct Limits: Hashable, Sendable {
  /// Largest payload of one frame in bytes, which bounds a message.
  ///
  /// Ttrpc's own limit is 4 MiB, and peers refuse more.
  public var frameByteCountMax = 4 << 20
  /// Largest request in bytes, as the wire carries it and inflated, of a method that anybody may call and that does
  /// not say otherwise (`MethodDescriptor.requestByteCountMax`); nil for as large as all others.
  ///
  /// Reading a request costs time, which strangers have no claim to.
  public var publicRequestByteCountMax: Int?
  /// Largest frame in bytes that is skipped and answered; a longer one closes the connection.
  public var skippedFrameByteCountMax = 16 << 20
  /// Metadata pairs of one call.
  public var metadataCountMax = 128
  /// Metadata bytes of one call.
  public var metadataByteCountMax = 16 << 10
  /// The limits of a message.
  public var message = MessageLimits()

  /// Calls that one connection may have open at a time.
  public var streamsPerConnectionMax = 4096
  /// Connections that a server keeps; more are closed as they come.
  ///
  /// The descriptors that the process may open, less `descriptorReserve`, bound them as well. When an
  /// eighth of the places is left, connections that have rested the longest are closed; the last
  /// sixteenth is for sources that have fewer than eight.
  public var connectionCountMax = 20_000
  /// Connections of one source that a server keeps: of an IPv4 address, of the first half of an IPv6
  /// address, of a user at a Unix socket.
  ///
  /// Nil for three quarters of all, which leaves room for one gateway with all its clients and still
  /// some for others.
  public var connectionsPerSourceMax: Int?
  /// Descriptors that connections leave to the rest of the process: its files, the admin port and
  /// what it connects to itself.
  ///
  /// At most half of what the process may open.
  public var descriptorReserve = 256
  /// Handlers that run at a time in a server.
  ///
  /// They count until they return, even when the call they served is over.
  public var runningHandlersMax = 10_000

  /// Streaming calls (every kind but unary) that a server has open at a time.
  ///
  /// Of these, anonymous callers together may have a quarter, and users and anonymous callers three
  /// quarters; the rest is for services. Who is what is said by an interceptor
  /// (`CallContext.countStream`); without one the bounds of callers do not apply. Below
  /// `runningHandlersMax`, so that streams leave room for other calls.
  public var streamingCallsMax = 4096
  /// Streaming calls that one connection may have open at a time.
  public var streamingCallsPerConnectionMax = 256
  /// Streaming calls that anonymous callers of one source address may have open at a time.
  public var streamingCallsPerSourceMax = 64
  /// Streaming calls that one user may have open at a time.
  public var streamingCallsPerUserMax = 32
  /// Streaming calls that one service, in all its instances, may have open at a time.
  public var streamingCallsPerServiceMax = 1024

  /// Output in bytes that may wait on a connection of an extended peer before reading from it
  /// pauses: a client that sends and never reads is pushed back.
  ///
  /// A stock peer is read from all the time, because some write under a lock that their reader
  /// needs; its requests are refused instead once too much waits (`outputTotalByteCountMax`).
  public var outputPauseByteCount = 1 << 20
  /// Output in bytes at which streaming writers wait.
  public var outputWriterByteCountMax = 256 << 10
  /// Output in bytes that no connection may pass; it is closed.
  public var outputByteCountMax = 32 << 20
  /// Output in bytes that may wait on all connections of a server together.
  ///
  /// A connection on which more waits than half of what is left of this begins no further call. When
  /// it is passed, the connections with the most output are closed.
  public var outputTotalByteCountMax = 64 << 20
  /// Bytes that all connections of a server together may hold of frames and requests that are not complete, the
  /// fields of their heads included.
  ///
  /// When it is passed, connections are closed, those first whose frames or requests are large and slow.
  public var assemblyByteCountMax = 64 << 20
  /// Bytes that the connections of a server together may take by themselves: the state of TLS and of HTTP/2, about.
  ///
  /// When it is passed, the connections on which nothing has happened for longest are ended, idle ones by GOAWAY.
  public var sessionByteCountMax = 96 << 20
  /// TLS handshakes that may be under way at a time.
  ///
  /// With one more, the one that has been under way for longest is given up.
  public var handshakeCountMax = 1024
  /// TLS handshakes of one source that may be under way at a time, as `connectionsPerSourceMax` tells sources apart.
  public var handshakesPerSourceMax = 256
  /// Received and unconsumed stream messages in bytes that a connection holds before reading from
  /// it pauses.
  ///
  /// Only peers without our flow control can reach it.
  public var unconsumedByteCountMax = 4 << 20
  /// The same for peers with flow control, whose streams are held back one by one first.
  public var unconsumedExtendedByteCountMax = 64 << 20
  /// Bytes a peer may send on one stream before it is given more credit.
  public var streamWindowByteCount = 256 << 10

  /// Frames that break the protocol which a connection may send before it is closed.
  public var protocolErrorCountMax = 100

  /// How long a frame may take from its first byte to its last.
  public var frameTimeout = Duration.seconds(10)
  /// How long a connection may take until its first frame is complete, from the moment that it is
  /// usable.
  public var firstFrameTimeout = Duration.seconds(30)
  /// How long a connection must have rested before a server that is nearly full closes it.
  public var evictionIdleTime = Duration.seconds(10)
  /// How long a client must have said nothing, having everything, before a server that has sent its
  /// end of stream waits no longer for the client's; what comes in the meantime is thrown away.
  public var lingerTimeout = Duration.seconds(1)
  /// How long a server may take in all to write what is left on a connection that it ends, and to
  /// wait for the client to take it.
  public var closeTimeout = Duration.seconds(30)
  /// Bytes that are read and thrown away on a connection that is being ended; then its client is
  /// pushed back.
  public var discardedByteCountMax = 64 << 20
  /// How long output may wait without the peer taking a byte.
  public var outputStallTimeout = Duration.seconds(30)
  /// How long a stream of a peer without flow control may hold up its connection.
  public var streamStallTimeout = Duration.seconds(10)
  /// How long a draining server waits for calls to end before it cuts them.
  public var drainTimeout = Duration.seconds(30)
  /// How long a draining server waits for calls that answer a stream, before it ends them with
  /// UNAVAILABLE; nil for as long as for all others.
  ///
  /// A watch never ends by itself, so a server that has some needs this, or its drain always takes
  /// the whole `drainTimeout`.
  public var responseStreamDrainTimeout: Duration?

  /// The defaults.
  public init() {}
}
