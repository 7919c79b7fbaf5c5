/// How a channel connects, waits and retries.
///
/// The defaults suit services in one network.
public struct ChannelConfiguration: Sendable {
  /// Wraps the stream to a `tls://` endpoint; `host` is the name to verify.
  ///
  /// Loop only.
  public typealias TransportWrapper =
    @Sendable (_ transport: any Transport, _ host: String) throws -> any Transport

  /// Where connections come from.
  public var network: any Network = SocketNetwork()
  /// The loops that connections are spread over.
  public var loops: EventLoopGroup
  /// Bounds of each connection.
  public var limits = Limits()
  /// Connections to each address; nil means two for each loop, at most four.
  public var connectionsPerAddress: Int?
  /// How long a connection may take to be made, TLS included.
  public var connectTimeout = Duration.seconds(10)
  /// Pauses between attempts to connect.
  public var reconnect = BackOff()
  /// Least time between two look-ups of the target's names.
  ///
  /// Every lost connection asks for one, and a server that comes and goes would ask without end.
  public var nameLookupInterval = Duration.seconds(5)
  /// Silence after which a server is asked for a sign of life.
  ///
  /// Stock servers are not.
  public var keepaliveInterval = Duration.seconds(30)
  /// How long it may take to answer.
  public var keepaliveTimeout = Duration.seconds(20)
  /// After about this age (±10 %) a connection is replaced, so that load spreads to new servers.
  public var connectionAgeMax: Duration?
  /// Which calls are sent again, and how often.
  public var retry = RetryPolicy()
  /// TLS, for `tls://` targets.
  public var wrapTransport: TransportWrapper?
  /// Wrapped around each call, the first one outermost.
  public var interceptors: [any ClientInterceptor] = []
  /// Sent with each call, before the call's own.
  public var metadata = Metadata()
  /// Told what happens, for metrics.
  public var observer: (any ClientObserver)?
  /// Gets one warning when no address of the target can be reached, with the last failure, and
  /// one line when one can be again, however many attempts lie between.
  public var logger: Logger?
  /// Calls that may wait for a connection at a time; one more fails.
  public var waitingCallsMax = 10_000
  /// How long `close` lets open calls continue.
  public var drainTimeout = Duration.seconds(30)
  /// Call numbers are used up to here, then the connection is replaced.
  package var streamIDMax: UInt32 = 3 << 30
  /// Where picks begin, for tests that must repeat.
  package var seed: UInt64?

  /// Makes the default configuration on `loops`.
  public init(loops: EventLoopGroup) {
    self.loops = loops
  }

  /// Uses TLS for `tls://` targets, and checks the certificate against the target's host name.
  public mutating func useTLS(
    _ tls: TLSContextSource,
    handshakeTimeout: Duration = .seconds(10)
  ) {
    wrapTransport = { transport, host in
      try TLSTransport(
        over: transport,
        context: tls.current,
        expectedHost: host,
        handshakeTimeout: handshakeTimeout
      )
    }
  }

  var connectionCountPerAddress: Int {
    max(1, connectionsPerAddress ?? min(4, loops.loops.count * 2))
  }

  var forConnections: ClientConnectionConfiguration {
    var configuration = ClientConnectionConfiguration()
    configuration.limits = limits
    configuration.streamIDMax = streamIDMax
    configuration.keepaliveInterval = keepaliveInterval
    configuration.keepaliveTimeout = keepaliveTimeout
    return configuration
  }
}
