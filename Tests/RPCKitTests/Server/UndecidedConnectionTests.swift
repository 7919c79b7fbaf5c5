import RPCKitTesting
import Testing

@testable import RPCKit

/// Connections of a server that speaks two wires on one port, until they have shown which one they speak.
@Suite(.teardown) struct UndecidedConnectionTests {
  private func makeFixture(
    _ configure: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> ServerFixture {
    try ServerFixture {
      $0.wires = [EchoWire()]
      configure(&$0)
    }
  }

  @Test func wires_onOnePort_areToldApart() throws {
    let fixture = try makeFixture()
    let (framed, echoed) = (try fixture.connect(), try fixture.connect())
    #expect(try fixture.exchange(framed, .call(1, "Echo")).count == 1)
    echoed.send(Array("ECHO and more".utf8))
    try fixture.simulation.settle()
    #expect(echoed.received == Array("ECHO and more".utf8))
    #expect(fixture.server.connectionCount == 2)
  }

  @Test func opening_byteByByte_isRecognizedWithItsLastByte() throws {
    let fixture = try makeFixture()
    let peer = try fixture.connect()
    for byte in "ECH".utf8 {
      peer.send([byte])
      try fixture.simulation.settle()
      #expect(peer.received.isEmpty)
    }
    peer.send(Array("O!".utf8))
    try fixture.simulation.settle()
    #expect(peer.received == Array("ECHO!".utf8))
  }

  @Test func frames_thatAreNotServed_areClosedWithoutAWord() throws {
    let fixture = try makeFixture { $0.servesFrames = false }
    let peer = try fixture.connect()
    peer.send([0, 0, 0, 0])
    try fixture.simulation.settle()
    #expect(peer.isClosed || peer.sawEnd)
    #expect(peer.receivedByteCount == 0)
    #expect(fixture.server.connectionCount == 0)
    #expect(fixture.metrics.serverConnections.protocolError("unknown_wire").value == 1)
  }

  @Test func silence_isClosedInTime() throws {
    let fixture = try makeFixture { $0.keepalive = nil }
    let (silent, hesitant) = (try fixture.connect(), try fixture.connect())
    hesitant.send(Array("EC".utf8))
    try fixture.simulation.run(for: .seconds(29))
    #expect(fixture.server.connectionCount == 2)
    try fixture.simulation.run(for: .seconds(2))
    #expect(fixture.server.connectionCount == 0)
    #expect(silent.receivedByteCount + hesitant.receivedByteCount == 0)
    #expect(fixture.metrics.limitReached("first_frame_time").value == 2)
    #expect(fixture.metrics.serverConnections.closed("idle").value == 2)
  }

  @Test func client_thatLeavesBeforeItSpeaks_isForgotten() throws {
    let fixture = try makeFixture()
    let peer = try fixture.connect()
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 0)
  }

  @Test func drain_reachesBothWiresAndTheUndecided() throws {
    let fixture = try makeFixture()
    let (undecided, echoed, framed) =
      (try fixture.connect(), try fixture.connect(), try fixture.connect())
    echoed.send(Array("ECHO".utf8))
    #expect(try fixture.exchange(framed, .call(1, "Echo")).count == 1)
    fixture.server.drain()
    try fixture.simulation.run(for: .seconds(5))
    #expect(String(decoding: echoed.received, as: UTF8.self) == "ECHOdrained")
    #expect(undecided.receivedByteCount == 0)
    #expect(fixture.isServerDone)
  }
}
