import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// A connection compares the fields of a request with those of the last one, and a stream's object serves several:
/// nothing of one may be seen in another.
@Suite("HTTP/2: requests that repeat", .teardown) struct HTTP2RepeatedFieldsTests {
  /// A request that is echoed.
  private struct Echo {
    let stream: UInt32
    let path: String
    let fields: [(String, String)]
    let trailers: [(String, String)]
    let content: [UInt8]

    init(_ stream: UInt32, _ random: inout SplitMix64) {
      self.stream = stream
      path = random.next().isMultiple(of: 4) ? "/echo/\(random.next() % 2)" : "/echo"
      let long = String(repeating: "v", count: 600)
      var fields: [(String, String)] = []
      for name in ["x-a", "x-b", "x-c", "x-d"] where !random.next().isMultiple(of: 4) {
        let values = ["", "1", "1", "1", "12", long]
        fields.append((name, values[Int(random.next() % UInt64(values.count))]))
      }
      self.fields = fields
      trailers = random.next().isMultiple(of: 3) ? [("x-sum", "\(random.next() % 3)")] : []
      content = Array(repeating: 7, count: Int(random.next() % 3))
    }

    var frames: [HTTP2Frame] {
      let isEnd = content.isEmpty && trailers.isEmpty
      var frames = [HTTP2Frame.request(stream, path, fields, isEnd: isEnd)]
      if !content.isEmpty { frames.append(.data(stream, content, isEnd: trailers.isEmpty)) }
      if !trailers.isEmpty { frames.append(.headers(stream, trailers)) }
      return frames
    }

    func check(_ answer: HTTP2Client.Answer) {
      let echoed = answer.fields.filter { $0.0.hasPrefix("x-") }.map { "\($0.0): \($0.1)" }
      #expect(answer.status == "200" && answer.isEnded)
      #expect(echoed == (fields + [("x-path", path)]).map { "\($0.0): \($0.1)" })
      #expect(answer.trailers.map { "\($0.0): \($0.1)" } == trailers.map { "\($0.0): \($0.1)" })
      #expect(answer.content == content)
    }
  }

  @Test(
    "Each has its own fields, content and trailers, one after another and several at once",
    arguments: 0..<40
  )
  func requests_haveTheirOwn(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try HTTP2Stage(faults: seed.isMultiple(of: 4) ? .dripping : .calm)
    let client = try stage.open()
    var stream: UInt32 = 1
    for _ in 0..<20 {
      var echoes: [Echo] = []
      for _ in 0...(random.next() % 4) {
        echoes.append(Echo(stream, &random))
        stream += 2
      }
      // One in between that is given up in the same read, or refused.
      var frames = echoes.flatMap(\.frames)
      switch random.next() % 4 {
      case 0: frames += [.request(stream, "/silent", isEnd: false), .reset(stream)]
      case 1: frames += [.request(stream, "no path")]
      case 2:
        frames += [.request(stream, "/echo", Array(repeating: ("x-a", "1"), count: 120))]
      default: break
      }
      stream += 2
      client.send(frames)
      try stage.simulation.settle()
      for echo in echoes { echo.check(client[echo.stream]) }
    }
    #expect(client.goAwayCodes.isEmpty)
  }

  @Test("After a rest, requests have their own fields too")
  func afterRest_requestsHaveTheirOwn() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/echo", [("x-a", "1")]))
    try stage.simulation.run(for: .seconds(20))
    try client.exchange(.request(3, "/echo", [("x-a", "1")]), .request(5, "/echo"))
    #expect(client[3].fields.contains { $0 == ("x-a", "1") })
    #expect(client[5].isEnded && !client[5].fields.contains { $0.0 == "x-a" })
  }
}
