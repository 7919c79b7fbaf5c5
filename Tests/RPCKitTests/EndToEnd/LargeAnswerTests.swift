import Testing

@testable import RPCKit

/// Encoding a large answer takes milliseconds, for which no connection of the loop should wait.
@Suite("Large answers over sockets", .timeLimit(.minutes(1)))
struct LargeAnswerTests {
  /// An answer whose first byte tells where it was encoded: 1 on the loop, 2 elsewhere.
  struct Witness: Message {
    static let protobufName = "test.v1.Witness"

    var byteCount = 1
    var place: UInt8 = 0

    init() {}

    init(byteCount: Int) { self.byteCount = byteCount }

    init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
      byteCount = bytes.count
      if byteCount > 0 { place = bytes[0] }
    }

    func append(
      to buffer: inout ByteBuffer,
      prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
    ) {
      prefix(&buffer, byteCount)
      var bytes = [UInt8](repeating: 0, count: byteCount)
      // Without a call it is the event that brought the request, which is on the loop.
      if byteCount > 0 { bytes[0] = CallContext.current?.loop.isCurrent == false ? 2 : 1 }
      buffer.append(bytes.span)
    }

    func measure(_ measure: inout MessageMeasure) { measure.add(byteCount) }

    func validate(path: String, into violations: inout [FieldViolation]) {}
  }

  private static let byteCountMax = CallContext.readOnLoopByteCountMax

  private static func descriptor(
    _ method: String,
    _ kind: MethodDescriptor.Kind
  ) -> MethodDescriptor {
    .test(kind, method)
  }

  /// Requests say with three bytes how long the answer is.
  private static func wanted(_ request: BytesMessage) -> Int {
    request.bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func request(_ byteCount: Int) -> BytesMessage {
    BytesMessage([UInt8(byteCount >> 16), UInt8(byteCount >> 8 & 0xFF), UInt8(byteCount & 0xFF)])
  }

  private static let service = ServiceDefinition(
    name: "test.v1.Echo",
    methods: [
      .unary(descriptor("Say", .unary)) { (request: BytesMessage, call) in
        Witness(byteCount: wanted(request))
      },
      .unary(
        descriptor("Reply", .unary),
        replying: { (request: BytesMessage, call) in .now(Witness(byteCount: wanted(request))) }
      ),
      .serverStreaming(descriptor("List", .serverStreaming)) {
        (request: BytesMessage, call, writer: ResponseWriter<Witness>) in
        for byteCount in [wanted(request), 10, wanted(request) + 1, 20] {
          try await writer.write(Witness(byteCount: byteCount))
        }
        // The handler goes on where it was.
        try await writer.write(Witness(byteCount: call.loop.isCurrent ? 30 : 0))
      },
      .clientStreaming(descriptor("Collect", .clientStreaming)) { requests, call in
        var byteCount = 0
        for try await request: BytesMessage in requests { byteCount += wanted(request) }
        return Witness(byteCount: byteCount)
      },
    ]
  )

  private func run(
    compresses: Bool = false,
    _ body: (Channel) async throws -> Void
  ) async throws {
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.compressesResponses = compresses
    let server = Server(configuration, services: [Self.service], on: serverLoops)
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      try await withChannel(target, ChannelConfiguration(loops: clientLoops), body)
    }
    clientLoops.stop()
    serverLoops.stop()
  }

  @Test("They are encoded away from the loop, small ones on it", arguments: [false, true])
  func answer_large_isEncodedElsewhere(compresses: Bool) async throws {
    try await run(compresses: compresses) { channel in
      for (byteCount, place) in [
        (10, UInt8(1)), (Self.byteCountMax, 1), (Self.byteCountMax + 1, 2), (3 << 20, 2),
      ] {
        for method in ["Say", "Reply"] {
          let answer: Witness = try await channel.unary(
            Self.descriptor(method, .unary),
            Self.request(byteCount),
            options: CallOptions()
          )
          #expect(answer.place == place, "\(method) of \(byteCount) bytes")
          #expect(answer.byteCount == byteCount)
        }
        let collected: Witness = try await channel.clientStreaming(
          Self.descriptor("Collect", .clientStreaming),
          options: CallOptions()
        ) { (writer: RequestWriter<BytesMessage>) in
          try await writer.write(Self.request(byteCount))
        }
        #expect(collected.place == place && collected.byteCount == byteCount)
      }
    }
  }

  @Test("Those of a stream as well, which keep their order", arguments: [false, true])
  func stream_ofLargeAnswers_isEncodedElsewhere(compresses: Bool) async throws {
    try await run(compresses: compresses) { channel in
      let large = 200_000
      let list: ResponseStream<Witness> = channel.serverStreaming(
        Self.descriptor("List", .serverStreaming),
        Self.request(large),
        options: CallOptions()
      )
      var seen: [Int] = []
      var places: [UInt8] = []
      for try await answer in list {
        seen.append(answer.byteCount)
        places.append(answer.place)
      }
      #expect(seen == [large, 10, large + 1, 20, 30])
      #expect(places == [2, 1, 2, 1, 1])
    }
  }

  @Test("One that is larger than a frame is refused as before")
  func answer_tooLarge_isRefused() async throws {
    try await run { channel in
      let error = await rpcError {
        let _: Witness = try await channel.unary(
          Self.descriptor("Say", .unary),
          Self.request(5 << 20),
          options: CallOptions()
        )
      }
      #expect(error?.code == .resourceExhausted)
      let answer: Witness = try await channel.unary(
        Self.descriptor("Say", .unary),
        Self.request(10),
        options: CallOptions()
      )
      #expect(answer.byteCount == 10)
    }
  }

  @Test("A long message is found by its texts and elements, and no further than that")
  func measure_stopsWhenExceeded() {
    var list = Google_Protobuf.ListValue()
    #expect(!list.isLong)
    list.values = (0..<1000).map { _ in .init(kind: .stringValue("ten bytes!")) }
    #expect(!list.isLong)
    list.values += list.values
    #expect(list.isLong)
    var text = Google_Protobuf.StringValue()
    text.value = String(repeating: "x", count: Self.byteCountMax)
    #expect(!text.isLong)
    text.value += "x"
    #expect(text.isLong)
  }
}
