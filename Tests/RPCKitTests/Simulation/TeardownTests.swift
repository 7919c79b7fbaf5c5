import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The end of a test")
struct TeardownTests {
  private struct Failure: Error, Equatable {
    var name: String
  }

  /// Objects that were there, and may be gone.
  private final class Remains: @unchecked Sendable {
    private var isThere: [String: () -> Bool] = [:]

    func add(_ name: String, _ object: AnyObject) {
      isThere[name] = { [weak object] in object != nil }
    }

    var names: [String] { isThere.filter { $0.value() }.keys.sorted() }
  }

  @Test(
    "frees a server in the middle of a call, whatever its handler heeds",
    arguments: ["hold", "deaf"]
  )
  func run_leavesACall_freesAllOfIt(order: String) async throws {
    let remains = Remains()
    try await Teardown.run {
      let fixture = try ServerFixture()
      let peer = try fixture.connect()
      peer.onFrame = { _ in peer.close() }
      peer.send(.call(1, "Echo", .init(context: order)))
      try fixture.simulation.settle()
      #expect(fixture.service.runningCount == 1)
      remains.add("simulation", fixture.simulation)
      remains.add("network", fixture.network)
      remains.add("server", fixture.server)
      remains.add("service", fixture.service)
      remains.add("peer", peer)
    }
    #expect(remains.names == [])
  }

  @Test("frees a client that waits for an address that is silent")
  func run_leavesAConnectionAttempt_freesAllOfIt() async throws {
    let remains = Remains()
    try await Teardown.run {
      let simulation = Simulation(seed: 1)
      let network = SimulatedNetwork(simulation)
      let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
      network.silence(address)
      let peer = WirePeer.connect(to: address, simulation, network)
      let loop = simulation.loop()
      simulation.start(on: loop) { await loop.sleep(.seconds(86_400)) }
      try simulation.run(for: .seconds(1))
      #expect(!peer.isConnected)
      remains.add("simulation", simulation)
      remains.add("network", network)
      remains.add("peer", peer)
    }
    #expect(remains.names == [])
  }

  @Test("comes in reverse, also after an error, which is thrown")
  func run_testThrows_callsAllInReverse() async throws {
    let log = Log()
    await #expect(throws: Failure(name: "test")) {
      try await Teardown.run {
        Teardown.add { log.note("first") }
        Teardown.add {
          log.note("second")
          throw Failure(name: "second")
        }
        throw Failure(name: "test")
      }
    }
    #expect(log.lines == ["second", "first"])
  }

  @Test("fails a test whose teardown fails")
  func run_actionThrows_throws() async {
    await #expect(throws: Failure(name: "action")) {
      try await Teardown.run { Teardown.add { throw Failure(name: "action") } }
    }
  }

  @Test("reports a task that does not end although it was cancelled")
  func end_taskIgnoresCancellation_throwsStuck() throws {
    let simulation = Simulation(seed: 42)
    let parked = Lock<CheckedContinuation<Void, Never>?>(nil)
    simulation.start {
      await withCheckedContinuation { continuation in
        parked.withLock { $0 = continuation }
      }
    }
    try simulation.settle()
    #expect(throws: SimulationError.stuck(seed: 42)) { try simulation.end() }
    parked.withLock { $0.take() }?.resume()
    try simulation.settle()
  }
}
