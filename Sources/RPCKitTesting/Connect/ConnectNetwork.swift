public import RPCKit

/// A network whose clients call by Connect over HTTP/1.1 (connectrpc.com/docs/protocol), for the same channels,
/// clients and workloads that speak frames over others.
///
/// What `GRPCNetwork` is for gRPC. A connection of HTTP/1.1 carries one call at a time, so each connection of this
/// network stands for several of the network underneath: a call takes one that rests or makes another, CANCEL
/// closes it, and PING is answered at once. When no further connection can be made, the client gets GOAWAY.
/// A method that streams both ways cannot be called.
public struct ConnectNetwork: Network {
  private let base: any Network
  private let configuration: ConnectConfiguration

  /// Makes a network over another one.
  ///
  /// - Parameters:
  ///   - base: Where servers listen.
  ///   - methods: Every method that will be called whose client streams; see `GRPCNetwork`.
  ///   - json: Messages as JSON; nil for protobuf alone.
  ///   - style: Chooses what the next request looks like, given whether a connection rests that had one before;
  ///     called on the loop of the connection.
  ///   - violation: Told what a server sent that is not HTTP/1.1; its call ends with INTERNAL, if there is one.
  public init(
    over base: any Network,
    methods: [MethodDescriptor],
    json: ConnectJSON? = nil,
    style: @escaping @Sendable (_ isConnectionKept: Bool) -> ConnectRequestStyle = { _ in
      ConnectRequestStyle()
    },
    violation: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.base = base
    configuration = ConnectConfiguration(
      streamedRequests: Set(streamedRequestsOf: methods),
      json: json,
      style: style,
      violation: violation
    )
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

  /// A connection that takes and delivers frames and calls `address` by Connect.
  public func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport {
    ConnectTransport(configuration, authority: "\(address)", on: loop) { [base] in
      base.connect(to: address, on: loop)
    }
  }

  /// Resolves as the network underneath does.
  public func resolve(host: String, port: UInt16) async throws -> [SocketAddress] {
    try await base.resolve(host: host, port: port)
  }
}

/// The configuration that connections of a `ConnectNetwork` share.
struct ConnectConfiguration: Sendable {
  let streamedRequests: Set<String>
  let json: ConnectJSON?
  let style: @Sendable (_ isConnectionKept: Bool) -> ConnectRequestStyle
  let violation: @Sendable (String) -> Void
}
