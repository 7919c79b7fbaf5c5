/// How a server behaves.
public struct ServerConfiguration: Sendable {
  /// One address to listen at.
  public struct Endpoint: Sendable {
    /// Where; port 0 lets the kernel choose.
    public var address: SocketAddress
    /// Put around every connection of this endpoint; nil for plaintext.
    ///
    /// Runs on the connection's loop; what it throws closes the connection.
    public var wrapTransport: (@Sendable (any Transport) throws -> any Transport)?
    /// How the socket at the address behaves.
    public var options = ListenOptions()

    /// Makes a plaintext endpoint, or one with a stream transformation of your own.
    public init(
      _ address: SocketAddress,
      wrapTransport: (@Sendable (any Transport) throws -> any Transport)? = nil
    ) {
      self.address = address
      self.wrapTransport = wrapTransport
    }

    /// Makes an endpoint with TLS.
    ///
    /// A reload of `tls` is used by the connections after it.
    public init(
      _ address: SocketAddress,
      tls: TLSContextSource,
      handshakeTimeout: Duration = .seconds(10)
    ) {
      self.init(address) { transport in
        try TLSTransport(over: transport, context: tls.current, handshakeTimeout: handshakeTimeout)
      }
    }
  }

  /// When to ask a silent peer for a sign of life.
  public struct Keepalive: Sendable {
    /// Silence after which a PING goes out.
    public var interval: Duration
    /// How long the answer may take before the connection counts as lost.
    public var timeout: Duration

    /// Makes a keepalive rule.
    public init(interval: Duration = .seconds(30), timeout: Duration = .seconds(20)) {
      self.interval = interval
      self.timeout = timeout
    }
  }

  /// Where to listen.
  public var endpoints: [Endpoint]
  /// The wires beside the framed protocol on the same ports; the first that recognizes a connection
  /// has it.
  package var wires: [any ServerWire] = []
  /// Whether connections that no other wire recognizes speak the framed protocol, or are closed.
  package var servesFrames = true
  /// The bounds.
  public var limits = Limits()
  /// The adaptive bound on running handlers.
  public var admission = AdmissionControl.Configuration()
  /// Sign-of-life rule for peers that speak our extensions; nil for none.
  public var keepalive: Keepalive? = Keepalive()
  /// Age at which a connection is asked to move on, spread by ±10 %; nil for never.
  public var connectionAgeMax: Duration?
  /// Deflates responses of 1 KiB and more for clients that can inflate, if they shrink.
  public var compressesResponses = false
  /// Where the server says what it refuses to protect itself, once a second at most: the calls, by method
  /// and reason, and the limits that were reached; nil for nowhere.
  public var logger: Logger?
  /// How long a server that drains keeps serving as usual before it refuses new calls, so that
  /// balancers see it as not ready first.
  public var drainDelay = Duration.zero

  /// The last change of a call's error before it is answered, no matter who made it: the handler, an
  /// interceptor, or the server itself once it has begun the call; nil leaves it as it is.
  ///
  /// The place to log what goes wrong and to say which request it was. Calls that are refused before
  /// they begin, for load or because nobody knows their method, do not pass here but by
  /// `refusalDetails`. Runs on the loop of the connection, once for each error that is answered.
  public var completeError: (@Sendable (RPCError, CallContext) -> RPCError)?
  /// Extra error details for a call that is refused before it begins, by its metadata; nil and none are
  /// nothing.
  ///
  /// The place to say which request it was. Runs on the loop of the connection, under overload for most
  /// calls, so it should be quick; not asked for calls without metadata or with too much of it.
  public var refusalDetails: (@Sendable (Metadata) -> [RPCError.Detail])?

  /// Makes a configuration with the defaults.
  public init(endpoints: [Endpoint] = []) {
    self.endpoints = endpoints
  }
}
