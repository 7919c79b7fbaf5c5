/// Where connections come from: the kernel's sockets, or a simulated network in tests.
public protocol Network: Sendable {
  /// Listens at `address` and hands each new connection to `accepted`, on `loop`.
  ///
  /// Throws when the address cannot be bound.
  func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener

  /// A transport that connects to `address` when it is started. Loop only.
  func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport

  /// The addresses of a host name, in the order to try them.
  func resolve(host: String, port: UInt16) async throws -> [SocketAddress]
}

/// How a listener behaves beyond its address.
public struct ListenOptions: Sendable {
  /// The mode of a Unix socket's file, which says who may connect, whatever the umask is.
  ///
  /// Connecting takes the right to write (unix(7)).
  public var unixSocketMode: UInt32 = 0o600
  /// Told of each connection that was closed as it came because the process is out of descriptors.
  ///
  /// Called on the listener's loop.
  public var refused: @Sendable () -> Void = {}

  /// The defaults.
  public init() {}
}

extension Network {
  /// Listens with the default options.
  ///
  /// Throws when the address cannot be bound.
  public func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener {
    try await listen(at: address, on: loop, options: ListenOptions(), accepted: accepted)
  }
}

/// A connection that was accepted and belongs to no loop yet.
///
/// Dropping it closes it.
public protocol IncomingConnection: Sendable {
  /// Takes the connection to `loop`. Call once, on that loop.
  func open(on loop: any EventLoop) -> any Transport
}

/// A bound address that accepts connections.
public protocol Listener: Sendable {
  /// The address, with the port that was really given when 0 was asked for.
  var address: SocketAddress { get }

  /// Stops accepting and unbinds. Connections that were accepted stay.
  func close()
}
