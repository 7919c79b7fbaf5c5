import Testing

@testable import RPCKit

/// Reading a large request takes milliseconds, for which no connection of the loop should wait.
@Suite("Large requests over sockets", .timeLimit(.minutes(1)))
struct LargeRequestTests {
  /// Where a request was read.
  enum Place: UInt8 {
    /// On the loop, in the event that brought it.
    case event
    /// In the call's task, on the loop.
    case task
    case elsewhere
  }

  /// A request that notes where it was read.
  struct Witness: Message {
    static let protobufName = "test.v1.Witness"

    var place = Place.event
    var byteCount = 0

    init() {}

    init(byteCount: Int) { self.byteCount = byteCount }

    init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
      if let call = CallContext.current { place = call.loop.isCurrent ? .task : .elsewhere }
      byteCount = bytes.count
      if byteCount > 0, bytes[0] == 0xFF { throw .malformed }
    }

    func append(
      to buffer: inout ByteBuffer,
      prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
    ) {
      prefix(&buffer, byteCount)
      buffer.append(Array(repeating: UInt8(0), count: byteCount).span)
    }

    func validate(path: String, into violations: inout [FieldViolation]) {}
  }

  private static let byteCountMax = CallContext.readOnLoopByteCountMax

  private static func descriptor(
    _ method: String,
    _ kind: MethodDescriptor.Kind
  ) -> MethodDescriptor {
    .test(kind, method)
  }

  private static func answer(_ witness: Witness, _ call: CallContext) -> BytesMessage {
    BytesMessage([witness.place.rawValue, call.loop.isCurrent ? 1 : 0])
  }

  private static let service = ServiceDefinition(
    name: "test.v1.Echo",
    methods: [
      .unary(descriptor("Say", .unary)) { (request: Witness, call) in answer(request, call) },
      .unary(
        descriptor("Reply", .unary),
        replying: { (request: Witness, call) in .now(answer(request, call)) }
      ),
      .serverStreaming(descriptor("List", .serverStreaming)) {
        (request: Witness, call, writer: ResponseWriter<BytesMessage>) in
        try await writer.write(answer(request, call))
      },
      .clientStreaming(descriptor("Collect", .clientStreaming)) { requests, call in
        var places: [UInt8] = []
        for try await request: Witness in requests { places.append(request.place.rawValue) }
        return BytesMessage(places + [call.loop.isCurrent ? 1 : 0])
      },
      .unary(descriptor("Inflate", .unary)) { (request: Witness, call) in
        // As the loop handed it over: what it inflates itself is plain.
        BytesMessage([request.place.rawValue, call.inflation == nil ? 0 : 1])
      },
    ]
  )

  private func run(_ body: (Channel) async throws -> Void) async throws {
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [Self.service],
      on: serverLoops
    )
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      try await withChannel(target, ChannelConfiguration(loops: clientLoops), body)
    }
    clientLoops.stop()
    serverLoops.stop()
  }

  @Test("They are read away from the loop, and served on it; small ones are read as they come")
  func request_large_isReadElsewhere() async throws {
    try await run { channel in
      for (byteCount, place) in [
        (10, Place.event), (Self.byteCountMax, .event), (Self.byteCountMax + 1, .elsewhere),
        (1 << 20, .elsewhere),
      ] {
        let request = Witness(byteCount: byteCount)
        let expected = BytesMessage([place.rawValue, 1])
        for method in ["Say", "Reply"] {
          let answer: BytesMessage = try await channel.unary(
            Self.descriptor(method, .unary),
            request,
            options: CallOptions()
          )
          #expect(answer.bytes == expected.bytes, "\(method) of \(byteCount) bytes")
        }
        let list: ResponseStream<BytesMessage> = channel.serverStreaming(
          Self.descriptor("List", .serverStreaming),
          request,
          options: CallOptions()
        )
        for try await answer in list { #expect(answer.bytes == expected.bytes) }
      }
    }
  }

  @Test("Those of a stream as well, which keep their order")
  func stream_ofLargeRequests_isReadElsewhere() async throws {
    try await run { channel in
      let large = Self.byteCountMax + 1
      let answer: BytesMessage = try await channel.clientStreaming(
        Self.descriptor("Collect", .clientStreaming),
        options: CallOptions()
      ) { (writer: RequestWriter<Witness>) in
        for byteCount in [large, 10, large] {
          try await writer.write(Witness(byteCount: byteCount))
        }
      }
      #expect(answer.bytes == [2, 0, 2, 1])
    }
  }

  @Test("Those that inflate to much are inflated elsewhere as well, and short ones as they come")
  func request_compressed_isInflatedElsewhere() async throws {
    try await run { channel in
      for (byteCount, expected) in [
        (2000, [Place.event.rawValue, 0]), (Self.byteCountMax, [Place.event.rawValue, 0]),
        (Self.byteCountMax + 1, [Place.elsewhere.rawValue, 1]),
        (1 << 20, [Place.elsewhere.rawValue, 1]),
      ] {
        let answer: BytesMessage = try await channel.unary(
          Self.descriptor("Inflate", .unary),
          Witness(byteCount: byteCount),
          options: CallOptions(compressesRequest: true)
        )
        #expect(answer.bytes == expected, "\(byteCount) bytes")
      }
    }
  }

  @Test("Those of a stream too, in their order; the client is credited with what it paid for")
  func stream_ofCompressedRequests_isInflatedElsewhere() async throws {
    try await run { channel in
      // Together much more than the window of a stream.
      let byteCounts = (0..<40).map { $0 % 4 == 1 ? 2000 : 60_000 }
      let answer: BytesMessage = try await channel.clientStreaming(
        Self.descriptor("Collect", .clientStreaming),
        options: CallOptions(compressesRequest: true)
      ) { (writer: RequestWriter<Witness>) in
        for byteCount in byteCounts { try await writer.write(Witness(byteCount: byteCount)) }
      }
      let places = byteCounts.map { $0 == 2000 ? Place.event.rawValue : Place.elsewhere.rawValue }
      #expect(answer.bytes == places + [1])
    }
  }

  @Test("One that is no message is answered as a small one is")
  func request_largeAndMalformed_isRefused() async throws {
    try await run { channel in
      for byteCount in [10, 1 << 20] {
        let malformed = BytesMessage(Array(repeating: 0xFF, count: byteCount))
        let error = await rpcError {
          let _: BytesMessage = try await channel.unary(
            Self.descriptor("Say", .unary),
            malformed,
            options: CallOptions()
          )
        }
        #expect(error?.code == .internal && error?.message.contains("not a valid") == true)
      }
    }
  }
}
