import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/2: what is malformed", .teardown)
struct HTTP2MalformedTests {
  private static let request = [
    (":method", "POST"), (":scheme", "http"), (":path", "/echo"), (":authority", "host"),
  ]

  /// Fields that RFC 9113 sections 8.2 and 8.3 forbid; the stream ends with PROTOCOL_ERROR.
  private static let malformed: [[(String, String)]] = [
    request + [("X-Upper", "1")],
    request + [("connection", "close")],
    request + [("keep-alive", "1")],
    request + [("proxy-connection", "close")],
    request + [("transfer-encoding", "chunked")],
    request + [("upgrade", "h2c")],
    request + [("te", "gzip")],
    request + [("x-a", "b\r\nc")],
    request + [("x-a", "b\0c")],
    request + [("x-a", " b")],
    request + [("x a", "b")],
    request + [("", "b")],
    request + [(":unknown", "b")],
    request + [(":path", "/again")],
    [("x-a", "b")] + request,
    Array(request.dropFirst()),
    request.filter { $0.0 != ":scheme" },
    request.filter { $0.0 != ":path" },
    request.filter { $0.0 != ":path" } + [(":path", "")],
    request.filter { $0.0 != ":path" } + [(":path", "echo")],
    request.filter { $0.0 != ":authority" },
    request + [("host", "host"), ("host", "host")],
    request + [("content-length", "5")],
    request + [("content-length", "x")],
  ]

  @Test("A malformed request resets its stream and nothing else", arguments: malformed.indices)
  func malformedFields_resetStream(index: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.headers(1, Self.malformed[index]), .request(3, "/echo"))
    #expect(client[1].status == nil)
    #expect(client[1].reset == 1)
    #expect(client[3].status == "200")
    #expect(client.goAwayCodes == [])
  }

  private static let refused: [(String, [(String, String)])] = [
    ("400", request + [("host", "other")]),
    ("400", request.filter { $0.0 != ":scheme" } + [(":scheme", "ftp")]),
    ("400", request.filter { $0.0 != ":path" } + [(":path", "/a#b")]),
    ("400", request.filter { $0.0 != ":path" } + [(":path", "/ü")]),
    ("400", request.filter { $0.0 != ":authority" } + [(":authority", "me@host")]),
    ("405", [(":method", "CONNECT"), (":authority", "host:443")]),
    ("405", Self.request(by: "TRACE")),
    ("501", Self.request(by: "post")),
    ("501", Self.request(by: "PROPFIND")),
  ]

  @Test("What no server of ours can answer is refused with a status", arguments: refused.indices)
  func refusedFields_haveStatus(index: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let (status, fields) = Self.refused[index]
    try client.exchange(.headers(1, fields), .request(3, "/echo"))
    #expect(client[1].status == status)
    #expect(client[3].status == "200")
  }

  private static func request(by method: String) -> [(String, String)] {
    [(":method", method)] + request.dropFirst()
  }

  @Test("A value that is not UTF-8 is refused and not repaired")
  func valueThatIsNotUTF8_isRefused() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let literal = [0, 3] + Array("x-a".utf8) + [2, 0xC3, 0x28]
    try client.exchange(
      HTTP2Frame(
        HTTP2Frame.Kind.headers,
        flags: 5,
        stream: 1,
        HTTP2Frame.block(Self.request) + literal
      ),
      .request(3, "/echo")
    )
    #expect(client[1].status == "400")
    #expect(client[3].status == "200")
  }

  @Test("`host` may repeat the authority, or stand for it")
  func host_isAuthority() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let withoutAuthority = Self.request.filter { $0.0 != ":authority" }
    try client.exchange(
      .headers(1, Self.request + [("host", "HOST")]),
      .headers(3, withoutAuthority + [("host", "host")])
    )
    #expect(client[1].status == "200")
    #expect(client[3].status == "200")
  }

  /// Frames that end the connection, with the code (RFC 9113 sections 5 and 6).
  private static let fatal: [(UInt32, [HTTP2Frame])] = [
    (1, [.request(2, "/echo")]),
    (1, [.request(0, "/echo")]),
    (1, [.data(0, [1])]),
    (1, [.data(1, [1])]),
    (1, [.reset(1)]),
    (1, [.reset(0)]),
    (6, [HTTP2Frame(HTTP2Frame.Kind.ping, [1, 2, 3])]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.ping, stream: 1, Array(repeating: 0, count: 8))]),
    (6, [HTTP2Frame(HTTP2Frame.Kind.settings, [1, 2, 3])]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.settings, stream: 1)]),
    (6, [HTTP2Frame(HTTP2Frame.Kind.settings, flags: 1, Array(repeating: 0, count: 6))]),
    (3, [.settings([(4, 0x8000_0000)])]),
    (1, [.settings([(5, 1)])]),
    (1, [.settings([(2, 2)])]),
    (1, [.windowUpdate(0, 0)]),
    (3, [.windowUpdate(0, 0x7FFF_FFFF)]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.push, flags: 4, stream: 1, [0, 0, 0, 2])]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.continuation, flags: 4, stream: 1)]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.headers, stream: 1, [0x82]), .ping()]),
    (
      9, [HTTP2Frame(HTTP2Frame.Kind.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]
    ),
    (6, [HTTP2Frame(HTTP2Frame.Kind.data, stream: 1, Array(repeating: 0, count: 16_385))]),
    (1, [HTTP2Frame(HTTP2Frame.Kind.data, flags: 8, stream: 1, [5, 1])]),
  ]

  @Test("What breaks the connection ends it with its code", arguments: fatal.indices)
  func fatalFrames_endConnection(index: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let (code, frames) = Self.fatal[index]
    client.send(frames)
    try stage.simulation.settle()
    #expect(client.goAwayCodes == [code])
    #expect(client.isEnded)
    #expect(stage.metrics.serverConnections.protocolError("malformed_http2").value == 1)
  }

  @Test("A request with a number below that of another one is not answered")
  func lowerStream_isIgnored() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(5, "/echo"))
    try client.exchange(.request(3, "/echo"))
    try client.exchange(.request(7, "/echo"))
    #expect(client[5].status == "200")
    #expect(client[3].status == nil)
    #expect(client[7].status == "200")
  }

  @Test("Another preface ends the connection at once")
  func wrongPreface_closes() throws {
    let stage = try HTTP2Stage()
    let client = try stage.connect()
    client.wire.send(Array("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".utf8))
    try stage.simulation.settle()
    #expect(client.isEnded)
  }
}
