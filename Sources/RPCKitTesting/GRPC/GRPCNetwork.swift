public import RPCKit

/// A network whose connections speak gRPC over HTTP/2 (grpc/grpc doc/PROTOCOL-HTTP2.md), for the same channels,
/// clients and load generators that speak frames over others.
///
/// A channel writes frames into its connections and reads frames from them. Each connection of this network
/// translates: a call becomes a stream of HTTP/2, CANCEL becomes RST_STREAM, credit the window of the stream, GOAWAY
/// and PING what they are there. Servers are distinguished by nothing: they listen on the network underneath.
/// For tests and the simulator; an application calls our services by frames. Plaintext only, since TLS would
/// have to be between the translation and the network.
public struct GRPCNetwork: Network {
  private let base: any Network
  private let streamedRequests: Set<String>

  /// Makes a network over another one.
  ///
  /// `methods` must have every method that will be called whose client streams and whose server answers once:
  /// a Request frame does not say whether one message will answer it or many.
  public init(over base: any Network, methods: [MethodDescriptor]) {
    self.base = base
    streamedRequests = Set(streamedRequestsOf: methods)
  }

  /// Listens on the network underneath.
  public func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener {
    try await base.listen(at: address, on: loop, options: options, accepted: accepted)
  }

  /// A connection that takes and delivers frames and speaks gRPC with `address`.
  public func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport {
    GRPCTransport(
      over: base.connect(to: address, on: loop),
      authority: "\(address)",
      streamedRequests: streamedRequests
    )
  }

  /// Resolves as the network underneath does.
  public func resolve(host: String, port: UInt16) async throws -> [SocketAddress] {
    try await base.resolve(host: host, port: port)
  }
}
