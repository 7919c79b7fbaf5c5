import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// One port for all wires.
@Suite("HTTP on the port of the framed protocol", .teardown) struct HTTPServerWireTests {
  private let get = "GET /echo HTTP/1.1\nHost: a\n\n"

  /// The first frame of a call.
  private func frame() -> WireFrame {
    WireFrame(
      stream: 1,
      type: WireFrame.request,
      payload: WireMessage.request(
        "test.Service",
        "Echo",
        payload: Benchmark_V1.CheckRequest(subject: "a").protobufBytes,
        timeoutNanoseconds: 0,
        metadata: []
      )
    )
  }

  private func isAnswered(_ fixture: HTTPFixture, byFrames peer: WirePeer) throws -> Bool {
    peer.send(frame())
    try fixture.simulation.settle()
    return peer.takeFrames().map(\.type) == [WireFrame.response]
  }

  @Test("Frames and HTTP/1.1 are served beside each other", arguments: [FaultPlan.calm, .dripping])
  func bothWires_areServed(faults: FaultPlan) throws {
    let fixture = try HTTPFixture(faults: faults)
    let http = try fixture.connect()
    let framed = try fixture.connect().wire
    for _ in 0..<2 {
      #expect(try http.send(get).hasSuffix("\n\nGET a/echo http1_1\n"))
      #expect(try isAnswered(fixture, byFrames: framed))
    }
    fixture.server.drain()
    try fixture.simulation.run(for: .seconds(5))
    #expect(http.isEnded && fixture.isServerDone)
  }

  @Test(
    "Methods that begin as the preface of HTTP/2 does are HTTP/1.1",
    arguments: ["POST", "PUT", "PATCH"]
  )
  func methodsInP_areHTTP1(method: String) throws {
    let fixture = try HTTPFixture(faults: .dripping)
    let peer = try fixture.connect()
    let answer = try peer.send("\(method) /echo HTTP/1.1\nHost: a\nContent-Length: 0\n\n")
    #expect(answer.hasSuffix("\n\n\(method) a/echo http1_1\n"))
  }

  @Test("A connection that says nothing is closed without a word", arguments: ["", "P", "PR"])
  func silentConnection_isClosed(first: String) throws {
    let fixture = try HTTPFixture(configure: { $0.limits.firstFrameTimeout = .seconds(10) })
    let peer = try fixture.connect()
    try peer.send(first)
    try fixture.simulation.run(for: .seconds(9))
    #expect(!peer.isEnded)
    try fixture.simulation.run(for: .seconds(2))
    #expect(peer.isEnded && peer.take().isEmpty && fixture.server.connectionCount == 0)
    #expect(fixture.reachedCount(.firstFrameTime) == 1 && fixture.simulation.timerCount == 0)
  }

  @Test("A probe of the port leaves without a trace")
  func probe_leaves() throws {
    let fixture = try HTTPFixture()
    let peer = try fixture.connect()
    peer.wire.close()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 0 && fixture.simulation.timerCount == 0)
    #expect(fixture.metrics.serverConnections.protocolError("unknown_wire").value == 0)
  }

  @Test("HTTP/1.1 that is switched off is no wire, and frames are served still")
  func switchedOff_isNotServed() throws {
    let fixture = try HTTPFixture(http: { $0.servesHTTP1 = false })
    let http = try fixture.connect()
    #expect(try !http.send(get).hasPrefix("HTTP/"))
    #expect(fixture.exchanges.isEmpty)
    #expect(try isAnswered(fixture, byFrames: fixture.connect().wire))
  }

  @Test("Without frames, what is no HTTP is closed")
  func framesSwitchedOff_areClosed() throws {
    let fixture = try HTTPFixture(configure: { $0.servesFrames = false })
    let framed = try fixture.connect().wire
    framed.send(frame())
    try fixture.simulation.settle()
    #expect(framed.isClosed || framed.sawEnd)
    #expect(fixture.metrics.serverConnections.protocolError("unknown_wire").value == 1)
    #expect(try fixture.connect().send(get).hasSuffix("\n\nGET a/echo http1_1\n"))
  }

  @Test("HTTP/1.1 lives through a network that cuts, drips and stalls", arguments: 0..<10)
  func faultyNetwork_losesNothingInBetween(seed: Int) throws {
    var faults = FaultPlan()
    faults.cut = 0.002
    faults.silence = 0.01
    faults.silenceDuration = .milliseconds(1)...(.seconds(5))
    faults.windowByteCount = 512...8192
    faults.pieceByteCount = 1...512
    let fixture = try HTTPFixture(seed: UInt64(seed), faults: faults)
    for number in 0..<10 {
      let content = String(
        repeating: "\(number)",
        count: fixture.simulation.random.number(in: 1...5000)
      )
      let peer = try fixture.connect()
      for _ in 0..<3 {
        peer.wire.send(
          Array(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
              .utf8
          )
        )
      }
      try fixture.simulation.run(for: .seconds(20))
      let answers = peer.take()
      // Whatever came is the beginning of three whole answers.
      let answer = String.text("200 OK", "POST a/echo http1_1\n\(content)")
      #expect((answer + answer + answer).hasPrefix(answers), "seed \(seed)")
      #expect(peer.wire.isClosed || answers == answer + answer + answer, "seed \(seed)")
      peer.wire.close()
    }
    try fixture.simulation.run(for: .seconds(60))
    #expect(fixture.server.connectionCount == 0 && fixture.simulation.timerCount == 0)
    #expect(fixture.server.core.held.byteCount(.assembly) == 0)
    #expect(fixture.server.core.held.byteCount(.output) == 0)
  }
}
