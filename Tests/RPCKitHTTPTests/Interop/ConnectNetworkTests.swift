import TestingContracts
import RPCKit
import Testing

@testable import RPCKitTesting

/// The network whose clients speak Connect over HTTP/1.1, where the interoperability cases do not look.
@Suite(.teardown) struct ConnectNetworkTests {
  private typealias Request = Grpc_Testing.StreamingOutputCallRequest

  private static func style(_ change: (inout ConnectRequestStyle) -> Void) -> ConnectRequestStyle {
    var style = ConnectRequestStyle()
    change(&style)
    return style
  }

  private static let styles = [
    style { $0.isChunked = true }, style { $0.pieceByteCountMax = 7 },
    style {
      $0.isChunked = true
      $0.pieceByteCountMax = 1
    }, style { $0.connectsAnew = true }, style { $0.endsConnection = true },
    style { $0.expectsContinue = true },
    style {
      $0.isChunked = true
      $0.expectsContinue = true
    },
  ]

  /// A client of the interoperability service whose requests look like `style`.
  private static func client(
    _ interop: SimulatedInterop,
    _ style: ConnectRequestStyle
  ) -> Grpc_Testing.TestClient {
    var configuration = ChannelConfiguration(loops: EventLoopGroup([interop.stage.loop]))
    configuration.connectionsPerAddress = 1
    configuration.network = ConnectNetwork(
      over: interop.network,
      methods: [Grpc_Testing.TestMethods.streamingInputCall],
      style: { _ in style },
      violation: { Issue.record("\($0)") }
    )
    return Grpc_Testing.TestClient(
      Channel(ChannelTarget(addresses: [interop.address]), configuration)
    )
  }

  @Test("However a client writes its requests, the answers are the same", arguments: styles)
  func style_changesNoAnswer(_ style: ConnectRequestStyle) throws {
    let interop = try SimulatedInterop(.connect)
    let client = Self.client(interop, style)
    try interop.run { _ in
      let unary = try await client.unaryCall(
        .init(responseSize: 1000, payload: .zeros(300)),
        options: CallOptions(compressesRequest: true)
      )
      #expect(unary.payload == .zeros(1000))
      let collected = try await client.streamingInputCall { writer in
        for _ in 0..<10 { try await writer.write(.init(payload: .zeros(300))) }
      }
      #expect(collected.aggregatedPayloadSize == 3000)
      var count = 0
      for try await _ in client.streamingOutputCall(.init(responseParameters: [.init(size: 9)])) {
        count += 1
      }
      #expect(count == 1)
      #expect(try await client.emptyCall(.init()) == .init())
    }
    let isKept = !style.connectsAnew && !style.endsConnection
    #expect(interop.firstBytes.count == (isKept ? 1 : 4))
  }

  @Test("Calls at the same time have connections of their own, which are used again")
  func simultaneousCalls_haveConnections() throws {
    let interop = try SimulatedInterop(.connect)
    let client = Self.client(interop, ConnectRequestStyle())
    try interop.run { _ in
      for _ in 0..<3 {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask { _ = try? await client.unaryCall(.init(payload: .zeros(10))) }
          }
        }
      }
    }
    #expect(interop.firstBytes.count == 4)
  }

  @Test(
    "What is no HTTP/1.1 is said, and ends its call with INTERNAL",
    arguments: [
      "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\ncontent-length: 0\n\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\n",
      "HTTP/1.1 204 No\r\ncontent-length: 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\na: \u{1}\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0x1\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n", "220 mail.example ESMTP\r\n\r\n",
    ]
  )
  func otherProtocol_isSaid(_ answer: String) throws {
    let simulation = Simulation(seed: 1)
    let network = SimulatedNetwork(simulation)
    let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    let listener = try WirePeer.listen(at: address, simulation, network) { peer in
      peer.send(Array(answer.utf8))
    }
    let problems = Problems()
    let loop = simulation.loop("client")
    let code = try simulation.run(on: loop) {
      defer { listener.close() }
      var configuration = ChannelConfiguration(loops: EventLoopGroup([loop]))
      configuration.connectionsPerAddress = 1
      configuration.network = ConnectNetwork(
        over: network,
        methods: [],
        violation: { problems.note($0) }
      )
      let channel = Channel(ChannelTarget(addresses: [address]), configuration)
      do {
        _ = try await Grpc_Testing.TestClient(channel).emptyCall(.init(), timeout: .seconds(5))
        return StatusCode.ok
      } catch {
        return (error as? RPCError)?.code ?? .unknown
      }
    }
    #expect(code == .internal)
    #expect(problems.lines.count == 1)
  }

  @Test("An answer is the same however its bytes are cut", arguments: [1, 2, 3, 7, 1000])
  func answers_cutAnywhere_areRead(_ pieceByteCount: Int) throws {
    let text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\ncontent-length: 3\r\n\r\nabc"
      + "HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
      + "3\r\nabc\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\nHTTP/1.1 204 None\r\n\r\n"
    var parser = HTTP1ResponseParser()
    var rest = Array(text.replacing("A: b", with: "a: b").utf8)[...]
    var seen = ""
    while !rest.isEmpty {
      for event in try parser.read(Array(rest.prefix(pieceByteCount))) {
        switch event {
        case .interim(let status): seen += "(\(status))"
        case .head(let head): seen += "<\(head.status)\(head.isLast ? " last" : "")>"
        case .content(let bytes): seen += String(decoding: bytes, as: UTF8.self)
        case .end: seen += "."
        }
      }
      rest = rest.dropFirst(pieceByteCount)
    }
    #expect(seen == "(100)<200>abc.<503 last>abc0123456789.<204>.")
    #expect(!parser.isInsideAnswer)
  }

  @Test(
    "Timeouts are sent in milliseconds, and never too short",
    arguments: [
      (1, "1"), (1_000_000, "1"), (1_000_001, "2"), (.max, "9223372036855"),
    ] as [(Int64, String)]
  )
  func timeout_isRoundedUp(_ nanoseconds: Int64, _ text: String) {
    let expected = text.utf8.count > 10 ? "9999999999" : text
    #expect(ConnectRequest.timeout(nanoseconds: UInt64(nanoseconds)) == expected)
  }

  @Test("An error has its code, its message and its details, or the code of its HTTP status")
  func error_isTranslated() throws {
    let text = #"{"code":"not_found","message":"gone","details":[{"type":"a.B","value":"BwE"}]}"#
    let status = TranslatedStatus.connect(
      httpStatus: 404,
      contentType: "application/json",
      content: Array(text.utf8)
    )
    #expect(status.code == .notFound)
    let any = WireMessage().text(1, "type.googleapis.com/a.B").field(2, [7, 1])
    #expect(
      status.encoded == WireMessage().varint(1, 5).text(2, "gone").field(3, any.bytes).bytes
    )
    for (httpStatus, code) in [(404, StatusCode.unimplemented), (503, .unavailable)] {
      let status = TranslatedStatus.connect(
        httpStatus: httpStatus,
        contentType: "text/html",
        content: []
      )
      #expect(status.code == code)
    }
  }
}

/// What was said to be wrong.
private final class Problems: Sendable {
  private let noted = Lock<[String]>([])

  var lines: [String] { noted.withLock { $0 } }

  func note(_ line: String) { noted.withLock { $0.append(line) } }
}
