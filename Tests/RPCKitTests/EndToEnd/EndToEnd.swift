import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

/// A server and a channel to it over real sockets, for the length of a test.
struct EndToEnd {
  let server: Server
  let address: SocketAddress
  let channel: Channel
  let serverLoops: EventLoopGroup
  let clientLoops: EventLoopGroup

  var rich: Testing_V1.RichClient { Testing_V1.RichClient(channel) }

  /// Serves `handler` on one loop, calls it from another, and checks at the end that no descriptor
  /// of either is left.
  static func run(
    over kind: SocketKind = .tcp,
    _ handler: RichHandler = RichHandler(),
    interceptors: [any ServerInterceptor] = [],
    server configureServer: (inout ServerConfiguration) -> Void = { _ in },
    channel configureChannel: (inout ChannelConfiguration) -> Void = { _ in },
    scheme: String? = nil,
    _ body: (EndToEnd) async throws -> Void
  ) async throws {
    let folder = try SocketFolder()
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    var serverConfiguration = ServerConfiguration(endpoints: [.init(kind.address(in: folder))])
    configureServer(&serverConfiguration)
    var channelConfiguration = ChannelConfiguration(loops: clientLoops)
    channelConfiguration.connectionsPerAddress = 1
    configureChannel(&channelConfiguration)
    let server = Server(
      serverConfiguration,
      services: [handler.definition],
      interceptors: interceptors,
      on: serverLoops
    )
    let address = try await server.serving { server in
      let address = try #require(server.addresses.first)
      let target = scheme.map { "\($0)://\(address)" } ?? address.target
      try await withChannel(target, channelConfiguration) { channel in
        try await body(
          EndToEnd(
            server: server,
            address: address,
            channel: channel,
            serverLoops: serverLoops,
            clientLoops: clientLoops
          )
        )
      }
      return address
    }
    #expect(server.connectionCount == 0)
    #expect(server.admission.runningCount == 0)
    clientLoops.stop()
    serverLoops.stop()
    #expect(SocketCensus.descriptorCount(of: address) == 0)
  }

  /// Waits for `condition`, which another thread brings about, and says whether it came in time.
  func eventually(within limit: Duration = .seconds(30), _ condition: () -> Bool) async -> Bool {
    await clientLoops.loops[0].eventually(within: limit, condition)
  }
}

/// Something that happens once and can be waited for.
final class OneTimeEvent<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func happened(_ value: Value) { continuation.yield(value) }

  /// The next value; one waiter at a time.
  func value() async throws -> Value {
    for await value in stream { return value }
    throw CancellationError()
  }
}

extension OneTimeEvent where Value == Void {
  func happened() { happened(()) }
}

/// Waits until the task is cancelled, and throws then.
func waitForCancellation() async throws -> Never {
  let (stream, _) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  throw CancellationError()
}

/// The error that `body` ends with.
func rpcError(_ body: () async throws -> Void) async -> RPCError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? RPCError
  }
}
