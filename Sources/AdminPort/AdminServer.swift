public import RPCKit

/// The admin port: metrics and probes over HTTP, apart from the calls so that it answers when the
/// server is full.
///
/// ```swift
/// let admin = try await AdminServer.start(
///   at: .ipv4([127, 0, 0, 1], port: 9090), on: loop,
///   responder: AdminResponder(registry: registry) { Readiness([]) })
/// ```
public final class AdminServer: Sendable {
  /// Connections at a time.
  ///
  /// One more takes the place of a connection of the source that has the most: those first that were never
  /// answered, the oldest of them first. So connections that ask nothing, or half a question, do not keep
  /// probes out.
  public static let connectionCountMax = 64

  private let listener: any Listener

  /// The bound address, with the real port.
  public var address: SocketAddress { listener.address }

  private init(_ listener: any Listener) {
    self.listener = listener
  }

  /// Binds and serves until `close`.
  ///
  /// `metrics` counts the connections that lost their place to others.
  ///
  /// Throws when the address cannot be bound.
  public static func start(
    at address: SocketAddress,
    on loop: any EventLoop,
    responder: AdminResponder,
    limits: AdminLimits = AdminLimits(),
    network: any Network = SocketNetwork(),
    metrics: RPCMetrics? = nil
  ) async throws -> AdminServer {
    let limitReached = metrics?.limitReached("admin_connections")
    let descriptorsReached = metrics?.limitReached(LimitName.descriptors.rawValue)
    let connections = AdminConnections(loop, countMax: connectionCountMax) {
      limitReached?.increment()
    }
    var options = ListenOptions()
    options.refused = { descriptorsReached?.increment() }
    let listener = try await network.listen(at: address, on: loop, options: options) { incoming in
      loop.execute {
        connections.admit(incoming.open(on: loop)) { transport, closed in
          AdminConnection(
            transport: transport,
            responder: responder,
            limits: limits,
            closed: closed
          )
        }
      }
    }
    return AdminServer(listener)
  }

  /// Stops accepting; open connections finish what they are at.
  public func close() {
    listener.close()
  }
}
