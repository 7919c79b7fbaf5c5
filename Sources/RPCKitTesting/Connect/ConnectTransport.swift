internal import RPCKit

/// A connection that its client reads and writes in frames, and that calls the server by Connect over as many
/// connections of HTTP/1.1 as there are calls at a time.
///
/// `@unchecked Sendable`: loop only, like every transport.
final class ConnectTransport: TranslatingTransport, @unchecked Sendable {
  private let configuration: ConnectConfiguration
  private let authority: String
  private let connect: () -> any Transport
  /// Those that are open or about to be, oldest first.
  private var connections: [HTTP1ClientConnection] = []
  private var hasConnected = false
  private var isReading = true

  /// Bytes of an answer that wait for the client, at which its connection is read no further.
  private static let heldByteCountMax = 64 << 10

  init(
    _ configuration: ConnectConfiguration,
    authority: String,
    on loop: any EventLoop,
    connect: @escaping () -> any Transport
  ) {
    self.configuration = configuration
    self.authority = authority
    self.connect = connect
    super.init(loop: loop, streamedRequests: configuration.streamedRequests)
  }

  // MARK: - Transport

  override var peer: Peer { Peer(address: authority) }

  override func open() { _ = makeConnection() }

  override func setReading(_ isReading: Bool) {
    self.isReading = isReading
    for connection in connections { connection.setReading(isReading) }
  }

  override var outputByteCount: Int { connections.reduce(0) { $0 + $1.outputByteCount } }

  override var unacknowledgedByteCount: Int {
    connections.reduce(0) { $0 + $1.unacknowledgedByteCount }
  }

  override func closeConnections() -> Bool {
    for connection in connections { connection.close() }
    connections = []
    return false
  }

  // MARK: - From the client

  override var streamCountMax: Int? { 100 }

  override func begin(
    _ request: TranslatedRequest,
    _ id: UInt32
  ) throws(TranslatedStatus) -> TranslatedCall? {
    ConnectCall(
      ConnectRequest(
        request,
        configuration.style(keptConnection != nil),
        json: configuration.json,
        inflate: inflated
      ),
      id: id,
      hasStreamOfResponses: request.hasStreamOfResponses(streamedRequests),
      windowByteCount: windowByteCount ?? .max
    )
  }

  override func began(_ call: TranslatedCall, _ request: TranslatedRequest) {
    guard let call = call as? ConnectCall else { return }
    let idle = keptConnection ?? connections.last { $0.isIdle }
    let connection = call.request.style.connectsAnew ? makeConnection() : idle ?? makeConnection()
    connection.begin(call.request, authority: authority, of: call.id)
  }

  /// One that rests and had a request before, the youngest.
  private var keptConnection: HTTP1ClientConnection? {
    connections.last { $0.isIdle && $0.hasHadRequest }
  }

  private func makeConnection() -> HTTP1ClientConnection {
    let connection = HTTP1ClientConnection(connect(), self)
    connections.append(connection)
    connection.start()
    if !isReading { connection.setReading(false) }
    return connection
  }

  override func write(_ message: [UInt8], isDeflated: Bool, of call: TranslatedCall) {
    guard let call = call as? ConnectCall else { return }
    let bytes = call.request.written(message, isDeflated: isDeflated, inflate: inflated)
    // What a message counts against the client's window is as it is held, not as it travels.
    call.wrote(bytes.count, costing: isDeflated ? inflated(message).count : message.count)
    connection(of: call.id)?.write(bytes)
  }

  override func finishRequest(of id: UInt32) { connection(of: id)?.finish() }

  override func giveUp(_ id: UInt32) {
    guard let connection = connection(of: id) else { return }
    connection.close()
    isGone(connection)
  }

  /// HTTP/1.1 has nothing to ask for, and anyone who asks only wants to keep the connection.
  override func ping(_ payload: [UInt8]) { pong(payload) }

  override func released(_ byteCount: Int, of call: TranslatedCall) {
    guard isReading else { return }
    let isFull = call.awaitsCredit && call.content.count > Self.heldByteCountMax
    connection(of: call.id)?.setReading(!isFull)
  }

  private func connection(of call: UInt32) -> HTTP1ClientConnection? {
    connections.first { $0.call == call }
  }

  // MARK: - From the connections

  func connected() {
    guard !hasConnected else { return }
    hasConnected = true
    receiver?.transportConnected()
  }

  func received(_ head: HTTP1Response, of call: UInt32) {
    update(call) { ($0 as? ConnectCall)?.received(head) }
  }

  /// A connection waits for its next request.
  func rests(_ connection: HTTP1ClientConnection) { connection.setReading(isReading) }

  /// A connection is closed, or as good as.
  func isGone(_ connection: HTTP1ClientConnection) {
    connections.removeAll { $0 === connection }
  }

  /// No connection can be made: the client is to make its own elsewhere, or later.
  func failedToConnect(
    _ connection: HTTP1ClientConnection,
    _ call: UInt32?,
    _ error: TransportError?
  ) {
    isGone(connection)
    guard hasConnected else { return endOfServer(error) }
    // First, so that it does not send the call here again.
    goAway()
    fail(call, TranslatedStatus(.unavailable, "no connection to the server", isNotProcessed: true))
  }

  func lost(_ connection: HTTP1ClientConnection, _ call: UInt32?, isNotProcessed: Bool) {
    isGone(connection)
    fail(
      call,
      TranslatedStatus(
        .unavailable,
        "the connection to the server was lost",
        isNotProcessed: isNotProcessed
      )
    )
  }

  /// A server sent what is not HTTP/1.1.
  func violated(_ problem: String, _ connection: HTTP1ClientConnection, _ call: UInt32?) {
    isGone(connection)
    configuration.violation("\(authority): \(problem)")
    fail(call, TranslatedStatus(.internal, "the server does not speak HTTP/1.1: \(problem)"))
  }

  private func fail(_ call: UInt32?, _ status: TranslatedStatus) {
    if let call { update(call) { $0.fail(status) } }
  }
}
