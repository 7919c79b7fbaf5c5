import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// However a server ends a connection, a client that keeps reading gets every answer that was
/// made, even if it reads slowly and sends all the time.
@Suite("Server: the end of a connection", .teardown)
struct ServerClosingTests {
  private static let answerByteCount = 20_000
  private static let callCount = 40

  /// What makes the server end a connection on which answers wait.
  enum Cause: CaseIterable, Sendable {
    case drain, drainExtended, violations, unskippableFrame, frameTime, age
  }

  /// A server with a connection on which more answers wait than the network holds, and whose client
  /// does not read for now.
  private func stage(_ cause: Cause) throws -> (ServerFixture, WirePeer) {
    let fixture = try ServerFixture {
      if cause == .age { $0.connectionAgeMax = .seconds(1) }
    }
    let peer = try cause == .drainExtended ? fixture.connectExtended() : fixture.connect()
    peer.setReading(false)
    for index in 0..<Self.callCount {
      peer.send(
        .call(UInt32(index * 2 + 1), "Echo", .init(context: "reply=\(Self.answerByteCount)"))
      )
    }
    try fixture.simulation.settle()
    #expect(fixture.service.ended == Self.callCount)
    return (fixture, peer)
  }

  private func bringAbout(_ cause: Cause, _ fixture: ServerFixture, _ peer: WirePeer) throws {
    switch cause {
    case .drain, .drainExtended: fixture.server.drain()
    case .violations: for _ in 0...100 { peer.send(WireFrame(stream: 2, type: 0x77)) }
    case .unskippableFrame:
      peer.send(WireFrame(stream: 1, type: WireFrame.request).header(declaring: 17 << 20))
    case .frameTime:
      peer.send([0, 0])
      try fixture.simulation.run(for: .seconds(11))
    case .age: try fixture.simulation.run(for: .seconds(2))
    }
    try fixture.simulation.settle()
  }

  @Test(
    "loses no answer of a client that reads late and goes on sending",
    arguments: Cause.allCases
  )
  func end_clientReadsLate_losesNoAnswer(cause: Cause) throws {
    let (fixture, peer) = try stage(cause)
    try bringAbout(cause, fixture, peer)
    peer.setReading(true)
    // Its requests arrive all the time, also behind the server's end of stream.
    for index in Self.callCount..<Self.callCount + 20 {
      peer.send(.call(UInt32(index * 2 + 1), "Echo"))
      try fixture.simulation.run(for: .milliseconds(5))
    }
    let answers = peer.takeFrames().filter { ($0.outcome?.payload?.count ?? 0) > 0 }
    #expect(answers.count == Self.callCount)
    #expect(answers.allSatisfy { $0.payload.count > Self.answerByteCount })
    #expect(peer.sawEnd && peer.error == nil)
    // Without its end the client is waited for, but not forever.
    #expect(fixture.server.connectionCount == 1)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.server.connectionCount == 0)
  }

  @Test("waits for a client that still sends, because it has not read the end yet")
  func linger_clientStillSends_isWaitedFor() throws {
    let (fixture, peer) = try stage(.drain)
    try bringAbout(.drain, fixture, peer)
    peer.setReading(true)
    for index in Self.callCount..<Self.callCount + 50 {
      peer.send(.call(UInt32(index * 2 + 1), "Echo"))
      try fixture.simulation.run(for: .milliseconds(100))
    }
    #expect(!fixture.isServerDone && peer.error == nil)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.isServerDone)
  }

  @Test("is over as soon as the client ends its side")
  func linger_clientEnds_isOver() throws {
    let (fixture, peer) = try stage(.drain)
    try bringAbout(.drain, fixture, peer)
    peer.setReading(true)
    try fixture.simulation.run(for: .milliseconds(20))
    #expect(peer.sawEnd && fixture.server.connectionCount == 1)
    peer.closeOutput()
    try fixture.simulation.settle()
    #expect(fixture.isServerDone)
  }

  @Test("waits for a client that does not read as long as the limit says, and no longer")
  func close_clientNeverReads_isBounded() throws {
    let (fixture, peer) = try stage(.violations)
    try bringAbout(.violations, fixture, peer)
    try fixture.simulation.run(for: .seconds(28))
    #expect(fixture.server.connectionCount == 1)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.server.connectionCount == 0)
  }

  @Test("pushes a client back that does not stop sending")
  func linger_clientFloods_isPushedBack() throws {
    let fixture = try ServerFixture { $0.limits.discardedByteCountMax = 1 << 20 }
    let peer = try fixture.connect()
    #expect(try fixture.exchange(peer, .call(1, "Echo")).count == 1)
    try bringAbout(.unskippableFrame, fixture, peer)
    for _ in 0..<40 { peer.send([UInt8](repeating: 0, count: 100_000)) }
    try fixture.simulation.settle()
    #expect(peer.unsentByteCount > 2 << 20 && peer.sawEnd)
  }

  @Test("a cancelled call is the last that a draining server waits for")
  func drain_lastCallCancelled_isDone() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(context: "hold")))
    fixture.server.drain()
    try fixture.simulation.settle()
    #expect(!peer.sawEnd)
    _ = try fixture.exchange(peer, WireFrame(stream: 1, type: WireFrame.cancel))
    #expect(peer.sawEnd)
  }
}
