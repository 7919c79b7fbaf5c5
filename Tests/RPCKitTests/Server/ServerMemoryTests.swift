import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// What all connections of a server together may hold.
@Suite("Server: memory of all connections", .teardown)
struct ServerMemoryTests {
  /// All but the last bytes of a large request.
  private static func unfinishedRequest(_ byteCount: Int) -> [UInt8] {
    let frame = WireFrame.call(1, "Echo", .init(entity: String(repeating: "e", count: byteCount)))
    return frame.bytes.dropLast(10)
  }

  @Test(
    "frames that do not end take each other's place, the oldest first; a good call goes through"
  )
  func assembly_pastTheBound_cutsTheSlowest() throws {
    let fixture = try ServerFixture(loopCount: 2) { $0.limits.assemblyByteCountMax = 8 << 20 }
    let request = Self.unfinishedRequest(1 << 20)
    var peers: [WirePeer] = []
    var heldMost = 0
    for _ in 0..<40 {
      let peer = try fixture.connect()
      peer.send(request)
      try fixture.simulation.run(for: .milliseconds(10))
      peers.append(peer)
      heldMost = max(heldMost, fixture.server.core.held.byteCount(.assembly))
      if peers.count % 10 == 0 {
        let good = try fixture.connect()
        let large = Benchmark_V1.CheckRequest(
          subject: "good",
          entity: String(repeating: "g", count: 1 << 20)
        )
        #expect(try fixture.exchange(good, .call(1, "Echo", large)) == [.answer(1, "good")])
        good.close()
      }
    }
    // A turn may add what one connection reads at a time.
    #expect(heldMost <= 9 << 20)
    #expect(peers[0].sawEnd && peers.last?.sawEnd == false)
    #expect(fixture.metrics.limitReached("assembly_bytes").value >= 32)
    for peer in peers { peer.close() }
    try fixture.simulation.run(for: .seconds(2))
    #expect(fixture.server.core.held.byteCount(.assembly) == 0)
  }

  @Test(
    "clients that ask and do not read lose their connections before memory does, the others none"
  )
  func output_pastTheBound_cutsTheLargest() throws {
    let fixture = try ServerFixture {
      $0.limits.outputTotalByteCountMax = 8 << 20
      $0.limits.outputByteCountMax = 4 << 20
    }
    let good = try fixture.connect()
    var number: UInt32 = 1
    var peers: [WirePeer] = []
    for _ in 0..<20 {
      let peer = try fixture.connect()
      peer.setReading(false)
      for index: UInt32 in 0..<30 {
        peer.send(.call(index * 2 + 1, "Echo", .init(context: "reply=100000")))
      }
      try fixture.simulation.settle()
      peers.append(peer)
      #expect(fixture.server.core.held.byteCount(.output) <= 10 << 20)
      let answers = try fixture.exchange(
        good,
        .call(number, "Echo", .init(context: "reply=100000"))
      )
      #expect(answers.map { $0.outcome?.code } == [0])
      number += 2
    }
    for peer in peers { peer.close() }
    try fixture.simulation.settle()
    #expect(fixture.server.core.held.byteCount(.output) == 0)
  }

  @Test("a stock client that does not read is refused and goes on being read")
  func output_stockPeerDoesNotRead_isRefused() throws {
    let fixture = try ServerFixture { $0.limits.outputTotalByteCountMax = 4 << 20 }
    let peer = try fixture.connect()
    peer.setReading(false)
    for index: UInt32 in 0..<300 {
      peer.send(.call(index * 2 + 1, "Echo", .init(context: "reply=100000")))
      try fixture.simulation.settle()
    }
    // Everything was taken off the wire; little of it was begun.
    #expect(peer.unsentByteCount == 0)
    #expect(fixture.service.ended < 30)
    #expect(fixture.metrics.limitReached("output_room").value > 270)
    peer.setReading(true)
    try fixture.simulation.run(for: .seconds(1))
    let outcomes = peer.takeFrames().compactMap(\.outcome)
    #expect(outcomes.count == 300)
    #expect(outcomes.count { $0.code == 0 } == fixture.service.ended)
    #expect(outcomes.allSatisfy { $0.code == 0 || ($0.code == 8 && $0.isNotProcessed) })
    // It has read, so it is served again.
    let next = try fixture.exchange(peer, .call(601, "Echo", .init(subject: "n")))
    #expect(next == [.answer(601, "n")])
  }

  @Test("an extended client that does not read is pushed back")
  func output_extendedPeerDoesNotRead_isPushedBack() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    peer.setReading(false)
    for index: UInt32 in 0..<200 {
      let request = Benchmark_V1.CheckRequest(
        entity: String(repeating: "e", count: 50_000),
        context: "reply=100000"
      )
      peer.send(.call(index * 2 + 1, "Echo", request))
      try fixture.simulation.settle()
    }
    #expect(peer.unsentByteCount > 0)
    #expect(fixture.metrics.limitReached("output_room").value == 0)
    peer.setReading(true)
    try fixture.simulation.run(for: .seconds(1))
    #expect(peer.takeFrames().compactMap(\.outcome).count { $0.code == 0 } == 200)
  }

  @Test("16 answers of 1 MB on one connection fit, whenever the client reads them")
  func output_sixteenMegabytes_fit() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    peer.setReading(false)
    for index: UInt32 in 0..<16 {
      peer.send(.call(index * 2 + 1, "Echo", .init(context: "reply=1000000")))
    }
    try fixture.simulation.settle()
    peer.setReading(true)
    try fixture.simulation.run(for: .seconds(1))
    #expect(peer.takeFrames().compactMap(\.outcome).count { $0.code == 0 } == 16)
  }

  @Test("sums say when to shed and when to give memory back, each once")
  func heldBytes_consequences() {
    var limits = Limits()
    limits.assemblyByteCountMax = 1600
    let held = HeldBytes(limits)
    #expect(held.change(.assembly, by: 1600) == .nothing)
    #expect(held.change(.assembly, by: 1) == .shed)
    #expect(held.change(.assembly, by: 100) == .nothing)
    held.shedEnded(.assembly)
    #expect(held.change(.assembly, by: 1) == .shed)
    #expect(held.byteCount(.assembly) == 1702 && held.byteCount(.output) == 0)
    #expect(held.byteCountAfterShedding(.assembly) == 1200)
    #expect(held.change(.assembly, by: -1602) == .nothing)
    #expect(held.change(.assembly, by: -1) == .giveBack)
    #expect(held.change(.assembly, by: -1) == .nothing)
    #expect(held.change(.assembly, by: 300) == .nothing)
    // What was hardly anything is not worth it.
    #expect(held.change(.assembly, by: -300) == .nothing)
  }
}
