import TestingContracts
import RPCKit
import RPCKitTesting
import Reflection
import Testing

@testable import RPCKitHTTP

/// What a contract asks of values is told to callers whom the interceptors let in, and to nobody else.
@Suite("Field rules and callers who are not let in", .teardown)
struct RulesForStrangersTests {
  private typealias Ruled = Testing_V1.Ruled
  private typealias Rich = Testing_V1.Rich

  /// Looks at callers until the door opens, while their messages arrive.
  private struct Doorkeeper: ServerInterceptor {
    let letsIn: Bool
    let opened: AsyncStream<Void>

    func begin(_ call: CallContext) throws -> Interception {
      .around { _, next in try await look(next) }
    }

    private func look(_ next: () async throws -> Void) async throws {
      for await _ in opened {}
      guard letsIn else { throw RPCError(.unauthenticated, "nobody knows the caller") }
      try await next()
    }
  }

  private static let kinds: [MethodDescriptor.Kind] = [
    .unary, .serverStreaming, .clientStreaming, .bidirectional,
  ]

  /// Every kind of call by every wire that has it.
  private static let calls = kinds.flatMap { kind in
    (kind == .bidirectional ? InteropWire.bothWays : InteropWire.allCases).map { ($0, kind) }
  }

  private static func method(_ kind: MethodDescriptor.Kind) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.Rules",
      method: "\(kind)",
      kind: kind,
      callerClass: .public,
      requestType: Ruled.protobufName,
      responseType: Rich.protobufName
    )
  }

  private static var service: ServiceDefinition {
    ServiceDefinition(
      name: "test.Rules",
      methods: [
        .unary(method(.unary)) { (_: Ruled, _) in Rich() },
        .serverStreaming(method(.serverStreaming)) { (_: Ruled, _, _: ResponseWriter<Rich>) in },
        .clientStreaming(method(.clientStreaming)) { (requests: RequestStream<Ruled>, _) in
          for try await _ in requests {}
          return Rich()
        },
        .bidirectional(method(.bidirectional)) {
          (requests: RequestStream<Ruled>, _, _: ResponseWriter<Rich>) in
          for try await _ in requests {}
        },
      ]
    )
  }

  @Test(
    "A message that breaks rules is not spoken of before its caller is let in",
    arguments: calls
  )
  func brokenRule_isForCallersWhoAreLetIn(
    _ wire: InteropWire,
    _ kind: MethodDescriptor.Kind
  ) throws {
    #expect(try Self.code(wire, kind, Ruled(), letsIn: false) == .unauthenticated)
    #expect(try Self.code(wire, kind, Ruled(), letsIn: true) == .invalidArgument)
  }

  @Test("Bytes that are no message are not read before their caller is let in", arguments: calls)
  func garbage_isForCallersWhoAreLetIn(
    _ wire: InteropWire,
    _ kind: MethodDescriptor.Kind
  ) throws {
    // A text that is longer than all of it.
    let garbage = RawMessage(bytes: [0x0A, 0x7F, 0x41])
    #expect(try Self.code(wire, kind, garbage, letsIn: false) == .unauthenticated)
    let malformed = wire == .connect ? StatusCode.invalidArgument : .internal
    #expect(try Self.code(wire, kind, garbage, letsIn: true) == malformed)
  }

  /// The status of a call with a message that is not what it should be.
  private static func code(
    _ wire: InteropWire,
    _ kind: MethodDescriptor.Kind,
    _ message: some Message,
    letsIn: Bool
  ) throws -> StatusCode {
    let (opened, door) = AsyncStream.makeStream(of: Void.self)
    let simulation = Simulation(seed: 1)
    let network = SimulatedNetwork(simulation)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.wires = [HTTPServerWire(HTTPConfiguration(router: CallRouter()))]
    let server = Server(
      configuration,
      services: [service],
      interceptors: [Doorkeeper(letsIn: letsIn, opened: opened)],
      on: simulation.group("server"),
      network: network
    )
    simulation.start { try await server.run() }
    try simulation.settle()
    let loop = simulation.loop("client")
    let call = Outcome()
    simulation.start(on: loop) {
      var configuration = ChannelConfiguration(loops: EventLoopGroup([loop]))
      configuration.network = wire.network(over: network, methods: [method(.clientStreaming)])
      let channel = Channel(ChannelTarget(addresses: [address]), configuration)
      var outcome = StatusCode.ok
      do {
        try await Self.call(channel, kind, message)
      } catch {
        outcome = (error as? RPCError)?.code ?? .unknown
      }
      call.code.withLock { $0 = outcome }
    }
    try simulation.settle()
    #expect(call.code.withLock { $0 } == nil)
    door.finish()
    try simulation.settle()
    return try #require(call.code.withLock { $0 })
  }

  private static func call<Request: Message>(
    _ channel: Channel,
    _ kind: MethodDescriptor.Kind,
    _ broken: Request
  ) async throws {
    let method = method(kind)
    switch kind {
    case .unary:
      let _: Rich = try await channel.unary(method, broken, options: CallOptions())
    case .serverStreaming:
      let responses: ResponseStream<Rich> = channel.serverStreaming(
        method,
        broken,
        options: CallOptions()
      )
      for try await _ in responses {}
    case .clientStreaming:
      let _: Rich = try await channel.clientStreaming(method, options: CallOptions()) {
        (writer: RequestWriter<Request>) in try await writer.write(broken)
      }
    case .bidirectional:
      try await channel.bidirectional(method, options: CallOptions()) {
        (writer: RequestWriter<Request>, responses: ResponseStream<Rich>) in
        try await writer.write(broken)
        try await writer.finish()
        for try await _ in responses {}
      }
    }
  }
}

/// What became of a call.
private final class Outcome: Sendable {
  let code = Lock<StatusCode?>(nil)
}
