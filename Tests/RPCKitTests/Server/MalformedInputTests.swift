import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Every row of docs/reference/protocol.md on what is not a legal conversation: the exact answer, the
/// connection's fate, and that nobody else notices.
@Suite("Server: malformed input", .teardown)
struct MalformedInputTests {
  /// What has to come of bytes that a peer sends on its own connection.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Sent one after the other, on a connection without calls.
    var frames: [WireFrame]
    /// `stream code text`, in order; empty for silence.
    var answers: [String]

    init(_ name: String, _ frames: [WireFrame], _ answers: [String]) {
      testDescription = name
      self.frames = frames
      self.answers = answers
    }
  }

  static let closedStream = "stream is no longer active"
  static let rows: [Row] = [
    Row("even id", [.call(2, "Echo")], ["2 3 stream ID must be odd"]),
    Row("stream 0", [.call(0, "Echo")], ["0 3 stream ID must be odd"]),
    Row(
      "even id, any type",
      [WireFrame(stream: 4, type: 0x77)],
      ["4 3 stream ID must be odd"]
    ),
    Row("unknown type", [WireFrame(stream: 1, type: 0x77, payload: [1, 2])], []),
    Row("response from a client", [.answer(1, "x")], []),
    Row(
      "reserved stream",
      [.call(WireFrame.connectionStream, "Echo")],
      ["4294967295 3 stream ID is reserved"]
    ),
    Row(
      "request that is no protobuf",
      [WireFrame(stream: 1, type: WireFrame.request, payload: [0x0a, 0x7f])],
      ["1 3 request envelope is not valid protobuf"]
    ),
    Row(
      "unknown service",
      [
        WireFrame(
          stream: 1,
          type: WireFrame.request,
          payload: WireMessage.request("no.Such", "M")
        )
      ],
      ["1 12 there is no service no.Such"]
    ),
    Row("unknown method", [.call(1, "Nope")], ["1 12 test.Service has no method Nope"]),
    Row(
      "payload that is not the message",
      [
        WireFrame(
          stream: 1,
          type: WireFrame.request,
          payload: WireMessage.request("test.Service", "Echo", payload: [0x0a, 0x7f])
        )
      ],
      ["1 13 payload is not a valid benchmark.v1.CheckRequest"]
    ),
    Row(
      "metadata that is not UTF-8",
      [
        WireFrame(
          stream: 1,
          type: WireFrame.request,
          payload: WireMessage.request("test.Service", "Echo") + [0x2a, 3, 0x0a, 1, 0xff]
        )
      ],
      ["1 3 metadata is not valid UTF-8"]
    ),
    Row(
      "metadata that is no protobuf",
      [
        WireFrame(
          stream: 1,
          type: WireFrame.request,
          payload: WireMessage.request("test.Service", "Echo") + [0x2a, 2, 0x0a, 5]
        )
      ],
      ["1 3 metadata is not valid protobuf"]
    ),
    Row(
      "text in the message that is not UTF-8",
      [
        WireFrame(
          stream: 1,
          type: WireFrame.request,
          payload: WireMessage.request("test.Service", "Echo", payload: [0x0a, 1, 0xff])
        )
      ],
      ["1 3 payload is not a valid benchmark.v1.CheckRequest"]
    ),
    Row("data on a stream that never was", [.message(1, "x")], ["1 3 stream is not open"]),
    Row(
      "data on a stream that is over",
      [.call(1, "Echo"), .message(1, "x")],
      ["1 0 ", "1 3 \(closedStream)"]
    ),
    Row(
      "data on a live unary call",
      [.call(1, "Echo", .init(context: "hold")), .message(1, "x")],
      ["1 3 the method takes a single request"]
    ),
    Row(
      "data after half-close",
      [.call(1, "Collect", nil, flags: 2), .message(1, "hold"), .end(1), .message(1, "x")],
      ["1 0 ", "1 3 \(closedStream)"]
    ),
    Row(
      "id used twice",
      [.call(1, "Echo"), .call(1, "Echo")],
      ["1 0 ", "1 3 stream ID cannot be re-used and must increment"]
    ),
    Row(
      "ids out of order, each once",
      [.call(5, "Echo"), .call(3, "Echo")],
      ["5 0 ", "3 0 "]
    ),
    Row(
      "all flags on a unary request",
      [.call(1, "Echo", .init(subject: ""), flags: 0xff)],
      ["1 0 "]
    ),
    Row(
      "extension frames without HELLO",
      [
        WireFrame(stream: WireFrame.connectionStream, type: WireFrame.ping),
        WireFrame(stream: 1, type: WireFrame.credit, payload: [0x08, 1]),
        WireFrame(stream: 1, type: WireFrame.cancel),
      ],
      []
    ),
  ]

  @Test("each row has its answer, and others are unharmed", arguments: rows, [false, true])
  func malformed_row_isAnsweredAsSpecified(row: Row, drips: Bool) throws {
    let fixture = try ServerFixture(faults: drips ? .dripping : .calm)
    let bystander = try fixture.connect()
    let peer = try fixture.connect()
    var answers: [String] = []
    for frame in row.frames {
      for answer in try fixture.exchange(peer, frame) {
        let outcome = try #require(answer.outcome)
        answers.append("\(answer.stream) \(outcome.code) \(outcome.message)")
      }
    }
    #expect(answers.count == row.answers.count)
    for (answer, expected) in zip(answers, row.answers) { #expect(answer.hasPrefix(expected)) }
    // The connection lives, and so does everybody else's.
    #expect(
      try fixture.exchange(peer, .call(101, "Echo", .init(subject: "on"))) == [.answer(101, "on")]
    )
    #expect(
      try fixture.exchange(bystander, .call(1, "Echo", .init(subject: "by"))) == [.answer(1, "by")]
    )
    #expect(fixture.service.runningCount == 0 && fixture.server.admission.runningCount == 0)
    #expect(fixture.runningHandlersGauge == 0)
  }

  @Test("an id that is used while its call runs ends that call")
  func reuse_liveStream_endsTheCall() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let held = WireFrame.call(1, "Echo", .init(subject: "h", context: "hold"))
    let frames = try fixture.exchange(peer, held, held)
    #expect(frames.map { $0.outcome?.code } == [3])
    #expect(fixture.service.cancelled == ["h"])
    #expect(fixture.server.admission.runningCount == 0)
  }

  // MARK: - Length

  private func call(payloadByteCount: Int) -> WireFrame {
    let bare = WireFrame.call(1, "Echo", .init(subject: "big", entity: "")).payload.count
    // Tags and lengths of the padding field and of the grown payload take a few bytes more.
    var padding = payloadByteCount - bare - 16
    while true {
      let frame = WireFrame.call(
        1,
        "Echo",
        .init(subject: "big", entity: String(repeating: "p", count: padding))
      )
      guard frame.payload.count < payloadByteCount else { return frame }
      padding += payloadByteCount - frame.payload.count
    }
  }

  @Test("4 MiB is served, and one byte more is refused and skipped")
  func length_atTheLimit_isServed() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let largest = call(payloadByteCount: 4 << 20)
    try #require(largest.payload.count == 4 << 20)
    #expect(try fixture.exchange(peer, largest) == [.answer(1, "big")])

    let tooLarge = WireFrame(
      stream: 3,
      type: WireFrame.request,
      payload: [UInt8](repeating: 0x0a, count: 4 << 20 | 1)
    )
    let frames = try fixture.exchange(
      peer,
      tooLarge,
      .call(5, "Echo", .init(subject: "next"))
    )
    #expect(frames.map { $0.outcome?.code } == [8, 0])
    #expect(frames.map(\.stream) == [3, 5])
  }

  @Test("a refusal does not wait for the bytes", arguments: [UInt32(4 << 20 | 1), 16 << 20])
  func length_overTheLimit_isRefusedAtTheHeader(length: UInt32) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    peer.send(WireFrame(stream: 1, type: WireFrame.request).header(declaring: length))
    try fixture.simulation.settle()
    #expect(peer.takeFrames().map { $0.outcome?.code } == [8])
    #expect(!peer.sawEnd && !peer.isClosed)
  }

  @Test(
    "a length that nobody would skip is refused and ends the connection",
    arguments: [UInt32(16 << 20 | 1), 1 << 31, .max]
  )
  func length_unskippable_closesTheConnection(length: UInt32) throws {
    let fixture = try ServerFixture()
    let bystander = try fixture.connect()
    let peer = try fixture.connect()
    peer.send(WireFrame(stream: 1, type: WireFrame.request).header(declaring: length))
    try fixture.simulation.settle()
    #expect(peer.takeFrames().map { $0.outcome?.code } == [8])
    #expect(peer.sawEnd)
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 1)
    #expect(
      try fixture.exchange(bystander, .call(1, "Echo", .init(subject: "by"))) == [.answer(1, "by")]
    )
  }

  @Test("memory follows the bytes that arrived and not the length that was declared")
  func decoder_declaredLength_reservesNothing() {
    var decoder = FrameDecoder(payloadByteCountMax: 4 << 20, skippedByteCountMax: 16 << 20)
    let bytes =
      WireFrame(stream: 1, type: WireFrame.request).header(declaring: 4 << 20)
      + [UInt8](repeating: 0, count: 1000)
    var offset = 0
    #expect(decoder.next(bytes.span, &offset) == .needMoreBytes)
    #expect(decoder.isInsideFrame && decoder.allocatedByteCount <= 4096)
  }

  // MARK: - Ends

  @Test("a connection that ends inside a frame cancels its calls", arguments: [false, true])
  func end_insideFrame_cancelsCalls(isCut: Bool) throws {
    let fixture = try ServerFixture()
    let bystander = try fixture.connect()
    let peer = try fixture.connect()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "h", context: "hold")))
    peer.send([0, 0, 0])
    if isCut { peer.close() } else { peer.closeOutput() }
    try fixture.simulation.settle()
    #expect(fixture.service.cancelled == ["h"])
    #expect(fixture.server.connectionCount == 1 && fixture.server.admission.runningCount == 0)
    #expect(
      try fixture.exchange(bystander, .call(1, "Echo", .init(subject: "by"))) == [.answer(1, "by")]
    )
  }

  @Test("a peer that breaks the protocol for ever is closed")
  func violations_pastTheLimit_closeTheConnection() throws {
    let fixture = try ServerFixture { $0.limits.protocolErrorCountMax = 10 }
    let peer = try fixture.connect()
    for _ in 0..<10 { peer.send(.call(2, "Echo")) }
    try fixture.simulation.settle()
    #expect(peer.takeFrames().count == 10 && !peer.sawEnd)
    peer.send(.call(2, "Echo"))
    try fixture.simulation.settle()
    #expect(peer.sawEnd)
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 0)
  }

  @Test("a response that is too large fails its call and no other")
  func response_tooLarge_failsOnlyItsCall() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Echo", .init(context: "reply=4194304")),
      .call(3, "Echo", .init(subject: "small"))
    )
    #expect(frames.map { $0.outcome?.code } == [8, 0])
    let stream = try fixture.exchange(
      peer,
      .call(5, "Watch", .init(context: "reply=4194304 count=1"), flags: 1)
    )
    #expect(stream.map { $0.outcome?.code } == [8])
  }

  @Test("garbage never traps and never harms others", arguments: 1...200)
  func garbage_anySeed_isSurvived(seed: UInt64) throws {
    let fixture = try ServerFixture(seed: seed, faults: FaultPlan())
    let bystander = try fixture.connect()
    let peer = try fixture.connect()
    var random = SimulationRandom(seed: seed)
    for _ in 0..<30 {
      let types: [UInt8] = [
        1, 1, 2, 3, 3, 0x40, 0x41, 0x42, 0x43, 0x44, UInt8(random.next() & 255),
      ]
      let streams: [UInt32] = [0, 1, 2, 3, 5, 7, .max, UInt32(truncatingIfNeeded: random.next())]
      let methods = ["Echo", "Watch", "Collect", "Chat", "Nope"]
      var frame = WireFrame.call(
        random.element(of: streams),
        random.element(of: methods),
        .init(subject: "s", context: random.element(of: ["", "hold", "count=3", "crash"]))
      )
      frame.type = random.element(of: types)
      frame.flags = random.chance(0.5) ? 0 : UInt8(random.next() & 255)
      if random.chance(0.3), !frame.payload.isEmpty {
        let place = random.number(in: 0...frame.payload.count - 1)
        frame.payload[place] = UInt8(random.next() & 255)
      }
      if random.chance(0.3) {
        frame.payload = Array(frame.payload.prefix(random.number(in: 0...frame.payload.count)))
      }
      peer.send(frame)
    }
    try fixture.simulation.settle()
    fixture.network.faults = .calm
    #expect(
      try fixture.exchange(bystander, .call(1, "Echo", .init(subject: "by"))) == [.answer(1, "by")]
    )
    peer.close()
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 1, "seed \(seed)")
    #expect(fixture.server.admission.runningCount == 0, "seed \(seed)")
    #expect(fixture.runningHandlersGauge == 0, "seed \(seed)")
  }
}
