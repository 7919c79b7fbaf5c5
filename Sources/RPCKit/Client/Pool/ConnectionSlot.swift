/// Keeps one connection to one address: makes it, makes it again, and tells the pool.
///
/// `@unchecked Sendable`: everything but constants is touched on `loop` only, which `ClientConnection`
/// and the loop's timers check.
final class ConnectionSlot: ClientConnectionOwner, TimerTarget, @unchecked Sendable {
  /// Where the slot connects to.
  struct Destination: Hashable, Sendable {
    var address: SocketAddress
    var tlsHost: String?
  }

  private enum Token: UInt64 {
    case backOff = 1
    case connectTimeout = 2
    case age = 3
  }

  let destination: Destination
  let loop: any EventLoop
  private let pool: ConnectionPool
  private let configuration: ChannelConfiguration
  private var machine = ConnectionSlotMachine.idle
  private var connection: ClientConnection?
  /// Connections that finish their last calls.
  private var retired: [ClientConnection] = []
  private var timer = TimerID.none
  private var ageTimer = TimerID.none

  init(_ destination: Destination, on loop: any EventLoop, pool: ConnectionPool) {
    self.destination = destination
    self.loop = loop
    self.pool = pool
    configuration = pool.configuration
  }

  /// Makes the connection if there is none.
  ///
  /// Loop only.
  func connect() {
    guard machine.connect() == .connect else { return }
    makeConnection()
  }

  /// Ends the slot after its open calls.
  ///
  /// Loop only.
  func release() {
    switch machine.release() {
    case .drainConnection: connection?.drain()
    case .closed: cancelTimers()
    case .ignore: break
    }
  }

  /// Ends the slot and every open call.
  ///
  /// Loop only.
  func cut() {
    release()
    for old in retired { old.close() }
    connection?.close()
  }

  private func makeConnection() {
    cancelTimers()
    pool.isConnecting(self)
    guard pool.connectionOpens() else { return }
    let transport: any Transport
    do {
      transport = try makeTransport()
    } catch {
      let failure = TransportError(.connectFailed, "\(error)").at("\(destination.address)")
      pool.connectionCloses(failure)
      lost(failure, wasUseful: false)
      return
    }
    let connection = ClientConnection(
      transport,
      configuration: configuration.forConnections
    )
    connection.owner = self
    self.connection = connection
    timer = loop.schedule(
      at: loop.now.advanced(by: configuration.connectTimeout),
      target: self,
      token: Token.connectTimeout.rawValue
    )
    connection.start()
  }

  private func makeTransport() throws -> any Transport {
    let transport = configuration.network.connect(to: destination.address, on: loop)
    guard let host = destination.tlsHost else { return transport }
    guard let wrap = configuration.wrapTransport else {
      throw RPCError(
        .failedPrecondition,
        "the target wants TLS; configure it for the channel, or use tcp:// in the target"
      )
    }
    return try wrap(transport, host)
  }

  private func cancelTimers() {
    loop.cancel(timer)
    loop.cancel(ageTimer)
    timer = .none
    ageTimer = .none
  }

  func timerFired(_ token: UInt64) {
    switch Token(rawValue: token) {
    case .backOff:
      connect()
    case .connectTimeout:
      connection?.close(TransportError(.connectFailed, "timed out"))
    case .age:
      connection?.drain()
    case .none:
      preconditionFailure("a slot's timer has an unknown name")
    }
  }

  // MARK: - ClientConnectionOwner

  func connectionIsReady(_ connection: ClientConnection) {
    guard connection === self.connection else { return }
    cancelTimers()
    guard machine.connected() == .announce else { return }
    if let age = configuration.connectionAgeMax {
      ageTimer = loop.schedule(
        at: loop.now.advanced(by: Self.jittered(age, loop.randomNumber())),
        target: self,
        token: Token.age.rawValue
      )
    }
    pool.isReady(connection, of: self)
  }

  /// ±10 %, so that connections made together do not end together.
  static func jittered(_ age: Duration, _ random: UInt64) -> Duration {
    age * 9 / 10
      + .nanoseconds(
        Int64(
          clamping: random.multipliedFullWidth(
            by: UInt64(max(0, (age / 5).nanosecondsSaturated))
          ).high
        )
      )
  }

  func connectionIsDraining(_ connection: ClientConnection) {
    pool.isUnusable(connection)
    guard connection === self.connection else { return }
    switch machine.retired(wasUseful: connection.wasUseful) {
    case .connect:
      retire(connection)
      makeConnection()
    case .backOff(let failures):
      retire(connection)
      backOff(failures, nil)
    case .ignore:
      break
    }
    pool.addressesMayHaveChanged()
  }

  private func retire(_ connection: ClientConnection) {
    retired.append(connection)
    self.connection = nil
    cancelTimers()
  }

  func connectionHasRoom(_ connection: ClientConnection) { pool.hasRoom() }

  func connectionIsClosed(_ connection: ClientConnection, _ error: TransportError?) {
    pool.isUnusable(connection)
    pool.connectionCloses(error)
    if connection === self.connection {
      self.connection = nil
      cancelTimers()
      lost(error, wasUseful: connection.wasUseful)
    } else {
      retired.removeAll { $0 === connection }
    }
  }

  private func lost(_ error: TransportError?, wasUseful: Bool) {
    switch machine.lost(wasUseful: wasUseful) {
    case .connect: makeConnection()
    case .backOff(let failures): backOff(failures, error)
    case .closed: break
    case .ignore: break
    }
  }

  private func backOff(_ failures: Int, _ error: TransportError?) {
    let pause = configuration.reconnect.pause(attempt: failures, random: loop.randomNumber())
    timer = loop.schedule(
      at: loop.now.advanced(by: pause),
      target: self,
      token: Token.backOff.rawValue
    )
    pool.isBackingOff(self, error)
  }
}
