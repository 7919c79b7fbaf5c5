import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// The rules of a `.proto` hold for each message of a stream as for a single request.
@Suite("Field rules of requests", .teardown, .timeLimit(.minutes(1)))
struct RequestRulesTests {
  private typealias Ruled = Testing_V1.Ruled

  private static let valid = Ruled(
    name: "ann-1",
    mood: .happy,
    tags: ["a"],
    since: Google_Protobuf.Timestamp()
  )

  private static var invalid: Ruled {
    var message = valid
    message.name = ""
    message.stars = 6
    return message
  }

  private static let violations = [
    FieldViolation(field: "name", description: "must be set"),
    FieldViolation(field: "stars", description: "must be at most 5"),
  ]

  private static func method(_ name: String, _ kind: MethodDescriptor.Kind) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.Rules",
      method: name,
      kind: kind,
      callerClass: .public,
      requestType: Ruled.protobufName,
      responseType: Rich.protobufName
    )
  }

  private static let single = method("Single", .unary)
  private static let collect = method("Collect", .clientStreaming)
  private static let chat = method("Chat", .bidirectional)

  /// Methods that take what comes, count it, and note the error that a stream ends with.
  private static func service(_ taken: Tally, _ ends: Log) -> ServiceDefinition {
    @Sendable func count(_ requests: RequestStream<Ruled>) async throws -> Int32 {
      do {
        var count: Int32 = 0
        for try await _ in requests {
          taken.add()
          count += 1
        }
        return count
      } catch {
        ends.note("\((error as? RPCError)?.code ?? .unknown)")
        throw error
      }
    }
    return ServiceDefinition(
      name: "test.Rules",
      methods: [
        .unary(single) { (_: Ruled, _) in
          taken.add()
          return Rich()
        },
        .clientStreaming(collect) { (requests: RequestStream<Ruled>, _) in
          Rich(number: try await count(requests))
        },
        .bidirectional(chat) { (requests: RequestStream<Ruled>, _, writer: ResponseWriter<Rich>) in
          try await writer.write(Rich(number: try await count(requests)))
        },
      ]
    )
  }

  @Test(
    "A message that breaks rules ends its call with every violation named, and no other call",
    arguments: [MethodDescriptor.Kind.unary, .clientStreaming, .bidirectional]
  )
  func message_breaksRules_endsItsCall(kind: MethodDescriptor.Kind) async throws {
    let (taken, ends) = (Tally(), Log())
    let loops = try EventLoopGroup.epoll(count: 1)
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [Self.service(taken, ends)],
      on: loops
    )
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
        let error = await rpcError { try await Self.call(channel, kind, Self.invalid) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == "name: must be set (and 1 more)")
        #expect(
          error?.details == [.errorInfo(.fieldViolations), .badRequest(Self.violations)]
        )
        try await Self.call(channel, kind, Self.valid)
      }
    }
    loops.stop()
    // Before the broken message comes a whole one; the call without one has two.
    #expect(taken.value == (kind == .unary ? 1 : 3))
    #expect(ends.lines == (kind == .unary ? [] : ["INVALID_ARGUMENT"]))
  }

  /// Sends a valid message and then another one, where there can be two.
  private static func call(
    _ channel: Channel,
    _ kind: MethodDescriptor.Kind,
    _ last: Ruled
  ) async throws {
    let options = CallOptions()
    switch kind {
    case .unary:
      let _: Rich = try await channel.unary(single, last, options: options)
    case .clientStreaming, .serverStreaming:
      let _: Rich = try await channel.clientStreaming(collect, options: options) {
        (writer: RequestWriter<Ruled>) in
        try await writer.write(valid)
        try await writer.write(last)
      }
    case .bidirectional:
      try await channel.bidirectional(chat, options: options) {
        (writer: RequestWriter<Ruled>, responses: ResponseStream<Rich>) in
        try await writer.write(valid)
        try await writer.write(last)
        try await writer.finish()
        for try await _ in responses {}
      }
    }
  }

  @Test("The message that a stock client puts into the Request of a stream is checked too")
  func requestPayload_breaksRules_isRefused() throws {
    let (taken, ends) = (Tally(), Log())
    let simulation = Simulation(seed: 1)
    let network = SimulatedNetwork(simulation, faults: .calm)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    let server = Server(
      ServerConfiguration(endpoints: [.init(address)]),
      services: [Self.service(taken, ends)],
      on: simulation.group("server", loopCount: 1),
      network: network
    )
    simulation.start { try await server.run() }
    try simulation.settle()
    let peer = WirePeer.connect(to: address, simulation, network)
    for (stream, message) in [(UInt32(1), Self.invalid), (3, Self.valid)] {
      let payload = WireMessage.request("test.Rules", "Collect", payload: message.encoded())
      peer.send(WireFrame(stream: stream, type: WireFrame.request, flags: 2, payload: payload))
    }
    peer.send(.end(1), .end(3))
    try simulation.settle()
    let outcomes = peer.takeFrames().filter { $0.stream == 1 || $0.outcome?.code == 0 }
    #expect(outcomes.first { $0.stream == 1 }?.outcome?.code == 3)
    #expect(outcomes.contains { $0.stream == 3 })
    #expect(taken.value == 1)
    #expect(server.admission.runningCount == 0)
  }
}
