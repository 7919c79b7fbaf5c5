import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing
import TextEncodings

@testable import RPCKitHTTP

@Suite(.teardown) struct GRPCExchangeTests {
  private static let type: HTTPFields = ["content-type": "application/grpc"]

  private static func fields(_ name: String, _ value: String) -> HTTPFields {
    ["content-type": "application/grpc", name: value]
  }

  // MARK: - Four kinds

  @Test(arguments: [1, 2, 3, 7, 1000])
  func unary_cutAnywhere_isAnswered(pieceByteCount: Int) throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Say", Self.type),
      envelope(request("hello, hello")),
      pieceByteCount: pieceByteCount
    )
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields == ["content-type": "application/grpc"])
    #expect(answer.content == envelope(response("hello, hello")))
    #expect(answer.trailers == ["grpc-status": "0"])
    #expect(answer.consumedByteCount == envelope(request("hello, hello")).count)
  }

  @Test func unary_subtypeWithParameters_isEchoed() throws {
    let fixture = try ExchangeFixture()
    let type = "Application/gRPC+proto; charset=utf-8"
    let answer = try fixture.answer(
      .call("Say", ["content-type": type]),
      envelope(request("a"))
    )
    #expect(answer.head?.fields["content-type"] == "application/grpc+proto")
    #expect(answer.trailers?["grpc-status"] == "0")
  }

  @Test func unary_isNotBegunBeforeTheRequestHasEnded() throws {
    let fixture = try ExchangeFixture()
    let request = try fixture.open(.call("Say", Self.type))
    try request.send(envelope(RPCKitHTTPTests.request("a")))
    #expect(fixture.service.calls.isEmpty)
    try request.end()
    #expect(fixture.service.calls.count == 1)
  }

  @Test func serverStreaming_sendsEachMessage() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Count", Self.type),
      envelope(request("n", "header"))
    )
    #expect(answer.content == envelope(response("n1")) + envelope(response("n2")))
    #expect(
      answer.trailers == ["grpc-status": "0", "answered-by": "echo", "token-bin": "AAEC"]
    )
  }

  @Test(arguments: [1, 4, 6, 1000])
  func clientStreaming_cutAnywhere_joinsMessages(pieceByteCount: Int) throws {
    let fixture = try ExchangeFixture()
    let content = ["a", "", "c"].flatMap { envelope(request($0)) }
    let answer = try fixture.answer(
      .call("Join", Self.type),
      content,
      pieceByteCount: pieceByteCount
    )
    #expect(fixture.service.taken == ["a", "", "c"])
    #expect(answer.content == envelope(response("a,,c")))
    #expect(answer.consumedByteCount == content.count)
  }

  @Test func bidirectional_answersBeforeTheRequestEnds() throws {
    let fixture = try ExchangeFixture()
    let request = try fixture.open(.call("Chat", Self.type))
    try request.send(envelope(RPCKitHTTPTests.request("a")))
    #expect(request.answer.content == envelope(response("a")))
    #expect(!request.answer.isEnded)
    try request.send(envelope(RPCKitHTTPTests.request("b")))
    try request.end()
    #expect(request.answer.content == envelope(response("a")) + envelope(response("b")))
    #expect(request.answer.trailers == ["grpc-status": "0"])
  }

  // MARK: - Metadata

  @Test func metadata_ofBytes_isReadPaddedOrNotAndSentUnpadded() throws {
    let fixture = try ExchangeFixture()
    let fields: HTTPFields = [
      "content-type": "application/grpc", "te": "trailers", "x-name": "v", "x-name": "w",
      "key-bin": "AAE=, AAEC,AA", "grpc-trace-bin": "AAAA", "grpc-accept-encoding": "gzip",
    ]
    let answer = try fixture.answer(.call("Say", fields), envelope(request("a", "header")))
    let metadata = try #require(fixture.service.calls.first?.metadata)
    #expect(metadata.values("key-bin") == ["AAE", "AAEC", "AA"])
    #expect(metadata.values("x-name") == ["v", "w"])
    #expect(metadata.count == 5)
    #expect(answer.head?.fields["answered-by"] == "echo")
    #expect(answer.head?.fields["token-bin"] == "AAEC")
    #expect(answer.head?.fields["not-text"] == nil)
    #expect(answer.head?.fields["grpc-status"] == nil)
    #expect(answer.trailers == ["grpc-status": "0"])
  }

  @Test func metadata_ofBytesThatAreNone_isRefused() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.fields("key-bin", "%%")))
    #expect(answer.head?.fields["grpc-status"] == "13")
    #expect(answer.isEnded && answer.trailers == nil)
  }

  // MARK: - Errors

  @Test func error_withoutMessages_isOneHeadWithDetails() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(.call("Say", Self.type), envelope(request("a", "header fail")))
    let fields = try #require(answer.head?.fields)
    #expect(answer.head?.status == 200)
    #expect(answer.isEnded && answer.trailers == nil && answer.content.isEmpty)
    #expect(fields["grpc-status"] == "8")
    #expect(fields["grpc-message"] == "50 %25 of %C3%A9verything%0A")
    #expect(fields["answered-by"] == "echo")
    #expect(fields["retry-after"] == "2")
    #expect(fields["ratelimit"] == #""OVERLOADED";r=0;t=2"#)
    #expect(fields["grpc-retry-pushback-ms"] == "1500")
    let text = fields["grpc-status-details-bin"] ?? ""
    let details = Base64.decode(text.utf8.span)
    let bytes = try #require(details)
    let status = try Google_Rpc.Status(protobuf: bytes.span, limits: MessageLimits())
    #expect(status.code == 8 && status.message == "50 % of \u{e9}verything\n")
    #expect(status.details.map(\.typeUrl).contains("type.googleapis.com/google.rpc.RetryInfo"))
  }

  @Test func error_afterMessages_isInTrailers() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(.call("Count", Self.type), envelope(request("n", "fail")))
    #expect(answer.content == envelope(response("n1")) + envelope(response("n2")))
    #expect(answer.trailers?["grpc-status"] == "8")
    #expect(answer.head?.fields["grpc-status"] == nil)
  }

  @Test func path_withAQuery_isOfNoMethod() throws {
    for type in ["application/grpc", "application/grpc-web"] {
      let fixture = try ExchangeFixture()
      let head = HTTPRequestHead.call("Say", query: "x=1", ["content-type": type])
      let answer = try fixture.answer(head, envelope(request("a")))
      #expect(answer.head?.fields["grpc-status"] == "12")
      #expect(fixture.service.calls.isEmpty)
    }
  }

  @Test func metadata_ofAUnaryAnswer_isInHeadAndTrailers() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(.call("Say", Self.type), envelope(request("a", "both")))
    #expect(answer.head?.fields["answered-by"] == "echo")
    #expect(answer.head?.fields["answered-in"] == nil)
    #expect(answer.trailers?["answered-in"] == "trailers")
    #expect(answer.trailers?["answered-by"] == nil)
  }

  @Test func error_thatIsOK_isUnknown() {
    var fields = HTTPFields()
    GRPCStatusFields.append(RPCError(.ok, ""), to: &fields)
    #expect(fields == ["grpc-status": "2"])
  }

  @Test func responseTooLarge_isAnError() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(.call("Say", Self.type), envelope(request("a", "large")))
    #expect(answer.content.isEmpty)
    #expect(answer.trailers?["grpc-status"] == "8")
  }

  @Test func responseTooLarge_leavesTheNextCallAlone() throws {
    let fixture = try ExchangeFixture()
    _ = try fixture.answer(.call("Say", Self.type), envelope(request("a", "large")))
    let answer = try fixture.answer(.call("Say", Self.type), envelope(request("b")))
    #expect(answer.content == envelope(response("b")))
  }

  @Test(
    arguments: [
      ("/test.Echo/Nobody", "test.Echo has no method Nobody"),
      ("/x.Y/Z", "there is no service x.Y"), ("/", "no service is at /"),
    ]
  )
  func unknown_isUnimplementedWithWhichRequestItWas(path: String, message: String) throws {
    let fixture = try ExchangeFixture()
    let head = HTTPRequestHead(
      method: "POST",
      path: path,
      fields: Self.fields("x-request-id", "r"),
      version: .http2
    )
    let answer = try fixture.answer(head)
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["grpc-status"] == "12")
    #expect(answer.head?.fields["grpc-message"] == message)
    let bytes =
      Base64.decode((answer.head?.fields["grpc-status-details-bin"] ?? "").utf8.span) ?? []
    let status = try Google_Rpc.Status(protobuf: bytes.span, limits: MessageLimits())
    #expect(status.details.last?.typeUrl == "x/test.Refused")
  }

  // MARK: - Bad input

  @Test func otherVerb_is405() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.type, verb: "GET"))
    #expect(answer.head?.status == 405)
    #expect(answer.head?.fields["allow"] == "POST")
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test(arguments: ["application/grpc+json", "application/grpcx", "application/grpc+"])
  func otherType_is415(type: String) throws {
    let answer = try ExchangeFixture().answer(.call("Say", ["content-type": type]))
    #expect(answer.head?.status == 415)
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test func http1_is505() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.type, version: .http1_1))
    #expect(answer.head?.status == 505)
    #expect(answer.head?.fields["grpc-status"] == "12")
  }

  @Test(arguments: ["", "S", "1", "-1S", "+1S", "123456789S", "1s", "1 S", "1.5S", "\u{661}S"])
  func malformedTimeout_is400(timeout: String) throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Say", Self.fields("grpc-timeout", timeout)),
      envelope(request("a"))
    )
    #expect(answer.head?.status == 400)
    #expect(answer.head?.fields["grpc-status"] == "13")
    #expect(fixture.service.calls.isEmpty)
  }

  @Test func twoTimeouts_are400() throws {
    let fields: HTTPFields = [
      "content-type": "application/grpc", "grpc-timeout": "1S", "grpc-timeout": "9S",
    ]
    #expect(try ExchangeFixture().answer(.call("Say", fields)).head?.status == 400)
  }

  @Test func passedDeadline_isRefusedWithoutTheHandler() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Say", Self.fields("grpc-timeout", "0n")),
      envelope(request("a"))
    )
    #expect(answer.head?.fields["grpc-status"] == "4")
    #expect(fixture.service.calls.isEmpty)
  }

  @Test func deadline_endsTheCallAndCancelsItsHandler() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Say", Self.fields("grpc-timeout", "2S")),
      envelope(request("a", "hold"))
    )
    #expect(!answer.isEnded)
    try fixture.simulation.run(for: .seconds(3))
    #expect(answer.head?.fields["grpc-status"] == "4")
    #expect(fixture.service.cancelledCount == 1)
  }

  @Test func abandoned_cancelsTheHandler() throws {
    let fixture = try ExchangeFixture()
    let open = try fixture.open(.call("Say", Self.type))
    try open.send(envelope(request("a", "hold")))
    try open.end()
    try open.abandon()
    #expect(fixture.service.cancelledCount == 1)
    #expect(open.answer.head == nil)
  }

  @Test func abandoned_inTheMiddleOfAMessage_holdsNothing() throws {
    let fixture = try ExchangeFixture()
    let open = try fixture.open(.call("Say", Self.type))
    try open.send(Array(envelope(request("abcdef")).dropLast()))
    #expect(fixture.heldByteCount > 0)
    try open.abandon()
    #expect(fixture.heldByteCount == 0)
  }

  @Test(arguments: [0, 2])
  func otherNumberOfMessages_isUnimplemented(count: Int) throws {
    let fixture = try ExchangeFixture()
    let message = envelope(request("a"))
    let answer = try fixture.answer(
      .call("Say", Self.type),
      Array(repeatElement(message, count: count).joined())
    )
    #expect(answer.head?.fields["grpc-status"] == "12")
    #expect(fixture.service.calls.isEmpty)
    #expect(fixture.heldByteCount == 0)
  }

  @Test(arguments: ["Say", "Join"])
  func endInsideAMessage_isInternal(method: String) throws {
    let content = Array(envelope(request("abc")).dropLast())
    let answer = try ExchangeFixture().answer(.call(method, Self.type), content)
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test(arguments: ["Say", "Join"], [2, 0x80, 0xFF] as [UInt8])
  func unknownFlags_areInternal(method: String, flags: UInt8) throws {
    let content = envelope(request("a"), flags: flags)
    let answer = try ExchangeFixture().answer(.call(method, Self.type), content)
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test(arguments: ["Say", "Join"])
  func undecodable_isInternal(method: String) throws {
    let answer = try ExchangeFixture().answer(.call(method, Self.type), envelope([0xFF]))
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test func messageTooLarge_isRefusedAsSoonAsItsLengthIsKnown() throws {
    var limits = Limits()
    limits.frameByteCountMax = 1000
    let fixture = try ExchangeFixture(limits: limits)
    let open = try fixture.open(.call("Say", Self.type))
    try open.send([0, 0, 0, 3])
    #expect(!open.answer.isEnded)
    try open.send([0xE9])
    #expect(open.answer.head?.fields["grpc-status"] == "8")
    let exact = try fixture.open(.call("Say", Self.type))
    try exact.send([0, 0, 0, 3, 0xE8])
    #expect(!exact.answer.isEnded)
  }

  // MARK: - Compression

  @Test(arguments: ["gzip", "deflate"])
  func compressedRequest_isInflated(coding: String) throws {
    let fixture = try ExchangeFixture()
    let content = envelope(compressed(request("a"), coding), flags: 1)
    let answer = try fixture.answer(.call("Say", Self.fields("grpc-encoding", coding)), content)
    #expect(answer.content == envelope(response("a")))
    #expect(answer.head?.fields["grpc-accept-encoding"] == "gzip,deflate,identity")
  }

  @Test func announcedCompression_mayBeLeftOut() throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", Self.fields("grpc-encoding", "gzip")),
      envelope(request("a"))
    )
    #expect(answer.content == envelope(response("a")))
  }

  @Test func unknownCompression_isUnimplementedAndNamesTheKnown() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.fields("grpc-encoding", "snappy")))
    #expect(answer.head?.fields["grpc-status"] == "12")
    #expect(answer.head?.fields["grpc-accept-encoding"] == "gzip,deflate,identity")
  }

  @Test(arguments: [[:], ["grpc-encoding": "identity"]] as [HTTPFields])
  func compressedMessage_withoutItsName_isInternal(extra: HTTPFields) throws {
    var fields = Self.type
    for field in extra.fields { fields.append(field.name, field.value) }
    let content = envelope(compressed(request("a"), "gzip"), flags: 1)
    let answer = try ExchangeFixture().answer(.call("Say", fields), content)
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  @Test func damagedCompression_isInternal() throws {
    var bytes = compressed(request("a"), "gzip")
    bytes[bytes.count - 1] ^= 1
    let fields = Self.fields("grpc-encoding", "gzip")
    for damaged in [bytes, Array(bytes.dropLast()), compressed(request("a"), "deflate")] {
      let answer = try ExchangeFixture().answer(.call("Say", fields), envelope(damaged, flags: 1))
      #expect(answer.head?.fields["grpc-status"] == "13")
    }
  }

  @Test func bomb_isRefusedAtTheLimit() throws {
    let bomb = compressed([UInt8](repeating: 0, count: (4 << 20) + 1), "gzip")
    let answer = try ExchangeFixture().answer(
      .call("Say", Self.fields("grpc-encoding", "gzip")),
      envelope(bomb, flags: 1)
    )
    #expect(answer.head?.fields["grpc-status"] == "8")
  }

  @Test func answer_isCompressedForWhomCanReadItIfItShrinks() throws {
    let fixture = try ExchangeFixture(compresses: true)
    let fields = Self.fields("grpc-accept-encoding", "br, gzip;q=0, deflate")
    let long = try fixture.answer(.call("Say", fields), envelope(request("a", "long")))
    #expect(long.head?.fields["grpc-encoding"] == "deflate")
    #expect(long.content.first == 1 && long.content.count < 200)
    let short = try fixture.answer(.call("Say", fields), envelope(request("a")))
    #expect(short.content == envelope(response("a")))
    let other = try fixture.answer(.call("Say", Self.type), envelope(request("a", "long")))
    #expect(other.head?.fields["grpc-encoding"] == nil)
    #expect(other.content.first == 0)
  }

  @Test(
    "A handler chooses for each message what the head has allowed",
    arguments: [
      (false, "compressed long,plain long,compressed long", [1, 0, 1]),
      (true, "long,plain long", [1, 0]), (false, "plain long,compressed long", [0, 1]),
      // The head is out and has promised nothing.
      (false, "long,compressed long", [0, 0]),
    ] as [(Bool, String, [UInt8])]
  )
  func message_isCompressedAsTheHandlerSays(
    serverCompresses: Bool,
    orders: String,
    flags: [UInt8]
  ) throws {
    let fixture = try ExchangeFixture(compresses: serverCompresses)
    let answer = try fixture.answer(
      .call("Count", Self.fields("grpc-accept-encoding", "gzip")),
      envelope(request("many", orders))
    )
    let isAnnounced = answer.head?.fields["grpc-encoding"] == "gzip"
    #expect(isAnnounced == flags.contains(1))
    #expect(Self.flags(answer.content) == flags)
    let unable = try fixture.answer(.call("Count", Self.type), envelope(request("many", orders)))
    #expect(Self.flags(unable.content).allSatisfy { $0 == 0 })
  }

  /// The flags of the messages in content.
  private static func flags(_ content: [UInt8]) -> [UInt8] {
    var flags: [UInt8] = []
    var rest = content[...]
    while rest.count >= 5 {
      flags.append(rest[rest.startIndex])
      let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(5 + length)
    }
    return flags
  }

  @Test("A handler sees whether its request came compressed", arguments: [true, false])
  func handlerSeesCompression(isCompressed: Bool) throws {
    let fixture = try ExchangeFixture()
    let message = request("a")
    let content =
      isCompressed ? envelope(compressed(message, "gzip"), flags: 1) : envelope(message)
    _ = try fixture.answer(.call("Say", Self.fields("grpc-encoding", "gzip")), content)
    #expect(fixture.service.calls.map(\.isRequestCompressed) == [isCompressed])
  }

  // MARK: - Room for the client

  @Test func stream_givesRoomBackAsTheHandlerTakesMessages() throws {
    let fixture = try ExchangeFixture()
    fixture.service.isGateOpen = false
    let open = try fixture.open(.call("Join", Self.type))
    let content = envelope(request("a")) + envelope(request("b"))
    try open.send(content)
    #expect(open.answer.consumedByteCount == 0)
    fixture.loop.execute { fixture.service.openGate() }
    try fixture.simulation.settle()
    #expect(open.answer.consumedByteCount == content.count)
  }

  @Test func messageLongerThanTheWindow_getsRoomWhileItArrives() throws {
    var limits = Limits()
    limits.streamWindowByteCount = 1000
    let fixture = try ExchangeFixture(limits: limits)
    fixture.service.isGateOpen = false
    let open = try fixture.open(.call("Join", Self.type))
    let content = envelope(request(String(repeating: "x", count: 3000)))
    var sent = 0
    while sent < content.count {
      // The client's window: what it may have sent that was not given back.
      let room = min(1000 - (sent - open.answer.consumedByteCount), content.count - sent)
      try #require(room > 0, "the client is stuck after \(sent) bytes")
      try open.send(Array(content[sent..<sent + room]))
      sent += room
    }
    #expect(content.count - open.answer.consumedByteCount >= 500)
    fixture.loop.execute { fixture.service.openGate() }
    try open.end()
    #expect(open.answer.consumedByteCount == content.count)
    #expect(open.answer.trailers?["grpc-status"] == "0")
  }
}

/// A message in the format that a field of a request names.
func compressed(_ bytes: [UInt8], _ coding: String) -> [UInt8] {
  var deflater = Deflater(coding == "gzip" ? .gzip : .zlib)
  var output = ByteBuffer()
  _ = deflater.deflate(bytes.span, into: &output, byteCountMax: .max)
  return output.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}
