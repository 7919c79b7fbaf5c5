import Foundation
import AdminPort
import Testing

@Suite struct HTTPRequestParserTests {
  typealias Outcome = HTTPRequestParser.Outcome

  /// All outcomes up to the first rejection, with the input cut into pieces of a size.
  private func parse(
    _ bytes: [UInt8],
    pieceByteCount: Int = .max,
    limits: HTTPLimits = HTTPLimits()
  ) -> [Outcome] {
    parse(bytes, limits: limits) { _ in pieceByteCount }
  }

  private func parse(
    _ bytes: [UInt8],
    limits: HTTPLimits = HTTPLimits(),
    pieceByteCount: (Int) -> Int
  ) -> [Outcome] {
    var parser = HTTPRequestParser(limits: limits)
    var outcomes: [Outcome] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(bytes.count - start, pieceByteCount(start))
      let piece = Array(bytes[start..<end])
      var offset = 0
      while offset < piece.count {
        let (taken, outcome) = parser.receive(piece.span, from: offset)
        offset += taken
        if outcome != .needMore { outcomes.append(outcome) }
        if case .reject = outcome { return outcomes }
        #expect(taken > 0)
      }
      start = end
    }
    return outcomes
  }

  private func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> [Outcome] {
    parse(Array(text.utf8), limits: limits)
  }

  private static let valid = """
    GET /readyz?full=1&x=? HTTP/1.1\r
    Host: localhost:9090\r
    accept:\t application/json \t\r
    X-Empty:\r
    Accept: */*\r
    Content-Length: 0\r
    \r

    """

  private static func request(
    _ path: String,
    _ method: HTTPRequest.Method = .get,
    query: String? = nil,
    accept: String = "",
    isKeepAlive: Bool = true
  ) -> Outcome {
    var parser = HTTPRequestParser(limits: HTTPLimits())
    let line = "\(method.rawValue) \(path)\(query.map { "?" + $0 } ?? "") HTTP/1.1\r\nHost: a\r\n"
    let bytes = Array(
      (line + "Accept: \(accept)\r\nConnection: \(isKeepAlive ? "x" : "close")\r\n\r\n").utf8
    )
    return parser.receive(bytes.span).outcome
  }

  @Test("A valid request gives its parts")
  func receive_valid_givesParts() throws {
    let outcome = try #require(parse(Self.valid).first)
    guard case .request(let request) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(request.method == .get)
    #expect(request.path == "/readyz")
    #expect(request.query == "full=1&x=?")
    #expect(request.accept == "application/json,*/*")
    #expect(request.isKeepAlive)
  }

  @Test("Every way of cutting two requests in two gives the same two requests")
  func receive_everySplit_givesSameRequests() {
    let bytes = Array((Self.valid + "HEAD / HTTP/1.0\r\n\r\n").utf8)
    let whole = parse(bytes)
    #expect(whole.count == 2)
    for split in 1..<bytes.count {
      #expect(parse(bytes) { $0 == 0 ? split : .max } == whole, "split at \(split)")
    }
    #expect(parse(bytes, pieceByteCount: 1) == whole)
  }

  @Test("Every truncation of a valid request asks for more")
  func receive_everyTruncation_asksForMore() {
    let bytes = Array(Self.valid.utf8)
    for count in 0..<bytes.count { #expect(parse(Array(bytes.prefix(count))).isEmpty) }
  }

  @Test(
    "Connections stay open in 1.1 unless asked otherwise, and never in 1.0",
    arguments: [
      ("HTTP/1.1\r\nHost: a\r\n", true), ("HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", false),
      ("HTTP/1.1\r\nHost: a\r\nConnection: Foo , CLOSE\r\n", false),
      ("HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n", true), ("HTTP/1.0\r\n", false),
      ("HTTP/1.0\r\nConnection: keep-alive\r\n", false),
    ]
  )
  func receive_connection_isUnderstood(rest: String, isKeepAlive: Bool) {
    #expect(parse("GET / \(rest)\r\n") == [Self.request("/", isKeepAlive: isKeepAlive)])
  }

  private static let host = "Host: a\r\n"

  @Test(
    "A malformed request is refused with the right status",
    arguments: [
      ("\r\n", 400), ("\n", 400), (" GET / HTTP/1.1\r\n", 400), ("GET  / HTTP/1.1\r\n", 400),
      ("GET / HTTP/1.1 \r\n", 400), ("GET /\r\n", 400), ("GET\r\n", 400), ("GET / \r\n", 400),
      ("GET\t/\tHTTP/1.1\r\n", 400), ("GET /a\tb HTTP/1.1\r\n", 400), ("G(T / HTTP/1.1\r\n", 400),
      ("GET / HTTP/1.1\n", 400), ("GET / HTTP/1.1\r\r\n", 400), ("GET / HTTP/1.1\rX", 400),
      ("GET /\0 HTTP/1.1\r\n", 400), ("GET /é HTTP/1.1\r\n", 400),
      ("GET /\u{7F} HTTP/1.1\r\n", 400),
      ("GET a HTTP/1.1\r\n", 400), ("GET * HTTP/1.1\r\n", 400), ("GET /a#b HTTP/1.1\r\n", 400),
      ("GET http://a/ HTTP/1.1\r\n", 400), ("GET HTTP://a/ HTTP/1.1\r\n", 400),
      ("CONNECT a:1 HTTP/1.1\r\n", 405), ("POST / HTTP/1.1\r\n", 405), ("get / HTTP/1.1\r\n", 405),
      ("OPTIONS * HTTP/1.1\r\n", 405), ("DELETE / HTTP/1.0\r\n", 405),
      ("GET / HTTP/1.2\r\n", 505), ("GET / HTTP/2.0\r\n", 505), ("PRI * HTTP/2.0\r\n", 505),
      ("GET / HTTP/0.9\r\n", 505), ("GET / http/1.1\r\n", 400), ("GET / HTTP/11\r\n", 400),
      ("GET / HTTP/1.10\r\n", 400), ("GET / HTTP/x.1\r\n", 400),
      ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHo st: a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\(host) fold\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)\tfold\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)X: \u{1}\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)X: é\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: 1\r\n", 413),
      ("GET / HTTP/1.1\r\n\(host)content-length: 99999999999999999999999999\r\n", 413),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: +0\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: -1\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length:\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: 0, 0\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: 0x0\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: 0\r\nContent-Length: 0\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)TRANSFER-ENCODING: identity\r\n", 400),
    ] as [(String, Int)]
  )
  func receive_malformed_isRefused(text: String, status: Int) throws {
    for pieceByteCount in [Int.max, 1] {
      let outcomes = parse(Array(text.utf8), pieceByteCount: pieceByteCount)
      guard case .reject(let rejection)? = outcomes.last else {
        Issue.record("accepted: \(outcomes)")
        return
      }
      #expect(rejection.status == status)
    }
  }

  @Test("Limits let exactly their value pass")
  func receive_atLimits_isExact() {
    var limits = HTTPLimits()
    limits.requestLineByteCountMax = 30
    limits.headerByteCountMax = 40
    limits.headerLineCountMax = 3
    func line(_ byteCount: Int) -> String {
      "GET /" + String(repeating: "a", count: byteCount - 14) + " HTTP/1.0\r\n"
    }
    func isAccepted(_ text: String) -> Bool {
      if case .request? = parse(text, limits: limits).last { true } else { false }
    }
    #expect(isAccepted(line(30) + "\r\n"))
    #expect(parse(line(31) + "\r\n", limits: limits) == [.reject(.targetTooLong)])
    // "X:" + value + CR LF + CR LF
    #expect(isAccepted(line(20) + "X:" + String(repeating: "b", count: 34) + "\r\n\r\n"))
    #expect(
      parse(line(20) + "X:" + String(repeating: "b", count: 35) + "\r\n\r\n", limits: limits)
        == [.reject(.headerTooLarge)]
    )
    #expect(isAccepted(line(20) + "A:\r\nB:\r\nC:\r\n\r\n"))
    #expect(
      parse(line(20) + "A:\r\nB:\r\nC:\r\nD:\r\n\r\n", limits: limits)
        == [.reject(.headerTooLarge)]
    )
  }

  @Test("The default limits are those that are documented")
  func limits_defaults_areDocumented() {
    let line = "GET /" + String(repeating: "a", count: 2048 - 14) + " HTTP/1.0\r\n"
    #expect(parse(line + "\r\n").count == 1)
    #expect(parse("x" + line) == [.reject(.targetTooLong)])
    let fields = String(repeating: "X: y\r\n", count: 64)
    #expect(parse("GET / HTTP/1.0\r\n\(fields)\r\n") == [Self.request("/", isKeepAlive: false)])
    #expect(parse("GET / HTTP/1.0\r\n\(fields)X: y\r\n\r\n") == [.reject(.headerTooLarge)])
  }

  @Test("After a refusal every byte gets the same refusal")
  func receive_afterRefusal_repeatsIt() {
    var parser = HTTPRequestParser(limits: HTTPLimits())
    _ = parser.receive(Array("\n".utf8).span)
    let again = parser.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8).span)
    #expect(again.outcome == .reject(.badRequest))
    let isInside = parser.isInsideRequest
    #expect(!isInside)
  }

  @Test("A request is inside from its first byte to its last")
  func isInsideRequest_followsBytes() {
    var parser = HTTPRequestParser(limits: HTTPLimits())
    let bytes = Array("GET / HTTP/1.0\r\n\r\n".utf8)
    var seen = [parser.isInsideRequest]
    for byte in bytes {
      _ = parser.receive([byte].span)
      seen.append(parser.isInsideRequest)
    }
    #expect(seen == [false] + bytes.dropLast().map { _ in true } + [false])
  }

  @Test("Garbage neither traps nor depends on how it is cut", arguments: 0..<300 as Range<UInt64>)
  func receive_garbage_doesNotDependOnCuts(seed: UInt64) {
    var random = SeededRandom(seed)
    var bytes = Array((Self.valid + Self.valid).utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: index)
      default: bytes.insert(UInt8.random(in: 0...127, using: &random), at: index)
      }
    }
    let whole = parse(bytes)
    let pieces = Int.random(in: 1...9, using: &random)
    #expect(parse(bytes, pieceByteCount: pieces) == whole, "seed \(seed)")
  }

  @Test("The fuzzer's seeds do not depend on how they are cut")
  func receive_corpus_doesNotDependOnCuts() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../fuzz/corpora/http")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.standardized,
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 13)
    for file in files {
      let bytes = try Array(Data(contentsOf: file))
      let whole = parse(bytes)
      #expect(!whole.isEmpty, "\(file.lastPathComponent)")
      #expect(parse(bytes, pieceByteCount: 1) == whole, "\(file.lastPathComponent)")
    }
  }
}
