import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// How many connections a server keeps, of whom, and for how long when nothing happens on them.
@Suite("Server: places for connections", .teardown)
struct ConnectionPlacesTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private func registry(
    descriptorCountMax: Int = 0,
    _ change: (inout Limits) -> Void
  ) -> ConnectionRegistry {
    var limits = Limits()
    change(&limits)
    return ConnectionRegistry(limits, descriptorCountMax: descriptorCountMax)
  }

  private static func isRefused(_ reservation: ConnectionRegistry.Reservation) -> Bool {
    if case .refused = reservation { return true }
    return false
  }

  @Test("a source has three quarters of all places unless told otherwise; others have the rest")
  func reserve_oneSource_leavesRoomForOthers() {
    var registry = registry { $0.connectionCountMax = 12 }
    for _ in 0..<9 { #expect(registry.reserve("a", now: Self.start) == .reserved) }
    #expect(registry.reserve("a", now: Self.start) == .refused(.connectionsPerSource))
    for _ in 0..<3 { #expect(!Self.isRefused(registry.reserve("b", now: Self.start))) }
    #expect(registry.reserve("c", now: Self.start) == .refused(.connections))
    registry.giveBack("b")
    #expect(registry.count == 11)
    #expect(!Self.isRefused(registry.reserve("b", now: Self.start)))
    var strict = self.registry { $0.connectionsPerSourceMax = 1 }
    #expect(strict.reserve("a", now: Self.start) == .reserved)
    #expect(strict.reserve("a", now: Self.start) == .refused(.connectionsPerSource))
    #expect(strict.reserve("b", now: Self.start) == .reserved)
  }

  @Test(
    "descriptors bound the places, less what the rest of the process needs",
    arguments: [(1024, 768), (400, 200), (0, 2000), (1_000_000, 2000)]
  )
  func places_areBoundByDescriptors(descriptorCountMax: Int, placeCount: Int) {
    var registry = registry(descriptorCountMax: descriptorCountMax) {
      $0.connectionCountMax = 2000
      $0.descriptorReserve = 256
    }
    for index in 0..<placeCount {
      #expect(!Self.isRefused(registry.reserve("\(index)", now: Self.start)))
    }
    #expect(registry.reserve("a", now: Self.start) == .refused(.connections))
  }

  @Test("the last eighth of the places asks for resting connections to go, once a second")
  func reserve_nearlyFull_asksForEviction() {
    var registry = registry {
      $0.connectionCountMax = 160
      $0.connectionsPerSourceMax = 160
    }
    for _ in 0..<140 { #expect(registry.reserve("a", now: Self.start) == .reserved) }
    #expect(registry.reserve("a", now: Self.start) == .reservedAndNearlyFull(surplus: 1))
    #expect(registry.reserve("a", now: Self.start) == .reserved)
    let later = Self.start.advanced(by: .seconds(1))
    #expect(registry.reserve("a", now: later) == .reservedAndNearlyFull(surplus: 3))
  }

  @Test("the last sixteenth of the places is for sources that have few")
  func reserve_manySources_leaveRoomForOthers() {
    var registry = registry { $0.connectionCountMax = 1600 }
    func isRefused(_ source: String) -> Bool {
      Self.isRefused(registry.reserve(source, now: Self.start))
    }
    var turn = 0
    while !isRefused("attacker \(turn % 64)") { turn += 1 }
    #expect(registry.count == 1500)
    for _ in 0..<ConnectionRegistry.fewConnections { #expect(!isRefused("good")) }
    #expect(isRefused("good"))
    registry.giveBack("good")
    #expect(!isRefused("good"))
    // More than eight each, so that the last places are all taken in the end.
    var taken = 0
    while !isRefused("\(taken / ConnectionRegistry.fewConnections)") { taken += 1 }
    #expect(registry.count == 1600)
  }

  @Test("a connection that never says anything is closed, one that did is not")
  func firstFrame_neverComes_closes() throws {
    let fixture = try ServerFixture { $0.keepalive = nil }
    let (silent, dribbling, good) =
      (try fixture.connect(), try fixture.connect(), try fixture.connect())
    #expect(try fixture.exchange(good, .call(1, "Echo")).count == 1)
    try fixture.simulation.run(for: .seconds(29))
    dribbling.send([0])
    try fixture.simulation.run(for: .seconds(2))
    #expect(silent.sawEnd && dribbling.sawEnd && !good.sawEnd)
    #expect(fixture.server.connectionCount == 1)
    #expect(fixture.metrics.limitReached("first_frame_time").value == 2)
    #expect(fixture.metrics.serverConnections.closed("idle").value == 2)
    try fixture.simulation.run(for: .seconds(1000))
    #expect(fixture.server.connectionCount == 1)
  }

  @Test("a server that is nearly full closes what rested the longest, and nothing that is in use")
  func eviction_nearlyFull_closesTheIdlest() throws {
    let fixture = try ServerFixture(loopCount: 2) {
      $0.limits.connectionCountMax = 32
      $0.limits.firstFrameTimeout = .seconds(1000)
      $0.keepalive = nil
    }
    let busy = try fixture.connect()
    _ = try fixture.exchange(busy, .call(1, "Echo", .init(context: "hold")))
    var resting: [WirePeer] = []
    for _ in 0..<27 {
      resting.append(try fixture.connect())
      try fixture.simulation.run(for: .seconds(1))
    }
    // The oldest has just made a call, so others have rested for longer.
    #expect(try fixture.exchange(resting[0], .call(1, "Echo")).count == 1)
    #expect(fixture.server.connectionCount == 28)
    let newcomers = [try fixture.connect(), try fixture.connect()]
    try fixture.simulation.run(for: .seconds(5))
    let evicted = resting.indices.filter { resting[$0].sawEnd }
    #expect((2...6).contains(evicted.count) && evicted.allSatisfy { (1...6).contains($0) })
    #expect(!busy.sawEnd && newcomers.allSatisfy { !$0.sawEnd })
    #expect(fixture.metrics.limitReached("idle_time").value == evicted.count)
    for newcomer in newcomers {
      #expect(try fixture.exchange(newcomer, .call(1, "Echo")).count == 1)
    }
  }

  @Test(
    "a source is an IPv4 address or the first half of an IPv6 address",
    arguments: [
      ("10.0.0.7", "10.0.0.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
      ("::1", "0:0:0:0::/64"), ("::ffff:10.0.0.7", "10.0.0.7"),
    ]
  )
  func source_ofAddress(host: String, source: String) throws {
    #expect(try #require(SocketAddress(host: host, port: 7)).source == source)
  }
}
