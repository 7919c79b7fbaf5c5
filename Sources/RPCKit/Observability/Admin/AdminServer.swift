internal import Synchronization

/// The admin port: metrics and probes over HTTP, apart from the calls so that it answers when the
/// server is full.
///
/// ```swift
/// let admin = try await AdminServer.start(
///   at: .ipv4([127, 0, 0, 1], port: 9090), on: loop,
///   responder: AdminResponder(registry: registry) { Readiness([]) })
/// ```
public final class AdminServer: Sendable {
  /// Connections at a time; more are closed as they come.
  public static let connectionCountMax = 64

  private let listener: any Listener

  /// The bound address, with the real port.
  public var address: SocketAddress { listener.address }

  private init(_ listener: any Listener) {
    self.listener = listener
  }

  /// Binds and serves until `close`.
  ///
  /// Throws when the address cannot be bound.
  public static func start(
    at address: SocketAddress,
    on loop: any EventLoop,
    responder: AdminResponder,
    limits: HTTPLimits = HTTPLimits(),
    network: any Network = SocketNetwork()
  ) async throws -> AdminServer {
    let count = ConnectionCount()
    let listener = try await network.listen(at: address, on: loop) { incoming in
      loop.execute {
        let transport = incoming.open(on: loop)
        guard count.take(max: connectionCountMax) else { return transport.close() }
        AdminConnection(
          transport: transport,
          responder: responder,
          limits: limits,
          closed: count.giveBack
        ).start()
      }
    }
    return AdminServer(listener)
  }

  /// Stops accepting; open connections finish what they are at.
  public func close() {
    listener.close()
  }
}

/// How many connections of the port are open.
private final class ConnectionCount: Sendable {
  private let count = Atomic<Int>(0)

  /// Counts one more; false when that would be too many.
  func take(max: Int) -> Bool {
    guard count.wrappingAdd(1, ordering: .relaxed).newValue <= max else {
      giveBack()
      return false
    }
    return true
  }

  /// Counts one less.
  func giveBack() {
    count.wrappingSubtract(1, ordering: .relaxed)
  }
}
