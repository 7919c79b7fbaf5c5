/// The delegate that hears of the ends of calls made with a `RawCaller`.
///
/// Loop only.
public protocol RawCallerDelegate: AnyObject {
  /// The connection is made; `send` works from now on.
  func rawConnectionReady()
  /// A call is over. `answer` is the encoded response message when the code is OK, and the text of
  /// the status message otherwise; it is gone when the call returns. `isNotProcessed`: the server surely
  /// did not begin the call, so that it may be sent again whatever it does.
  func rawCallEnded(
    _ token: UInt64,
    _ code: StatusCode,
    _ answer: Span<UInt8>,
    isNotProcessed: Bool
  )
  /// The connection is gone; its calls have ended before. nil when this side closed it.
  func rawConnectionClosed(_ error: TransportError?)
}

/// One connection without tasks, continuations or messages, for load generators: in steady state a
/// call allocates nothing.
///
/// Works with any ttrpc server. All members are loop only.
///
/// ```swift
/// let caller = RawCaller(network.connect(to: address, on: loop), limits: Limits())
/// caller.start(delegate)   // … rawConnectionReady()
/// caller.send(service: "echo.v1.Echo", method: "Say", payload: bytes.span, token: 7)
/// ```
public final class RawCaller {
  private let connection: ClientConnection
  private let owner = Owner()

  /// Makes a caller over a transport that was not started.
  ///
  /// `sendsHello: false` keeps to plain ttrpc: the server does not learn that this side knows our
  /// extensions.
  public init(_ transport: any Transport, limits: Limits = Limits(), sendsHello: Bool = true) {
    var configuration = ClientConnectionConfiguration()
    configuration.limits = limits
    configuration.sendsHello = sendsHello
    connection = ClientConnection(transport, configuration: configuration)
  }

  /// Starts to connect.
  ///
  /// The delegate is kept alive until the connection closes.
  public func start(_ delegate: any RawCallerDelegate) {
    connection.owner = owner
    connection.rawDelegate = delegate
    connection.start()
  }

  /// Sends a unary request with an encoded message.
  ///
  /// Returns false when the connection takes no call now (not ready, draining, or at a limit); the
  /// delegate then hears nothing of `token`.
  public func send(
    service: String,
    method: String,
    payload: Span<UInt8>,
    timeout: Duration? = nil,
    metadata: Metadata = Metadata(),
    token: UInt64
  ) -> Bool {
    let deadline = timeout.map { connection.loop.now.advanced(by: $0) } ?? .distantFuture
    let beginning = connection.begin(
      .raw(token: token),
      .unary,
      service: service,
      method: method,
      deadline: deadline,
      metadata: metadata
    ) { output, prefix in
      prefix(&output, payload.count)
      output.append(payload)
    }
    guard case .open = beginning else { return false }
    return true
  }

  /// Ends every call and closes the connection.
  public func close() { connection.close() }

  /// The owner that the connection refers to weakly.
  ///
  /// An object of its own: an object that weak references point to counts its strong references in
  /// a side table, which would make each call dearer.
  private final class Owner: ClientConnectionOwner {
    func connectionIsReady(_ connection: ClientConnection) {
      connection.rawDelegate?.rawConnectionReady()
    }

    func connectionIsDraining(_ connection: ClientConnection) {}
    func connectionHasRoom(_ connection: ClientConnection) {}
    func connectionIsClosed(_ connection: ClientConnection, _ error: TransportError?) {}
  }
}
