import RPCKit
import RPCKitTesting
import Testing

@Suite("Simulation", .teardown)
struct SimulationTests {
  private static let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)

  /// Two peers exchange bytes through a faulty network while tasks sleep.
  private func traceOfExchange(seed: UInt64) throws -> UInt64 {
    let simulation = Simulation(seed: seed)
    var faults = FaultPlan()
    faults.cut = 0.01
    faults.silence = 0.01
    let network = SimulatedNetwork(simulation, faults: faults)
    var servers: [WirePeer] = []
    let listener = try WirePeer.listen(at: Self.address, simulation, network) {
      servers.append($0)
    }
    let clients = (0..<4).map { _ in WirePeer.connect(to: Self.address, simulation, network) }
    for client in clients { client.send([UInt8](repeating: 7, count: 3000)) }
    let loop = simulation.loop()
    for index in 1...5 {
      simulation.start(on: loop) { await loop.sleep(.milliseconds(index * 3)) }
    }
    try simulation.run(for: .seconds(100))
    listener.close()
    return simulation.traceHash
  }

  @Test("the same seed gives the same run, and another seed another one", arguments: 1...20)
  func trace_sameSeed_isEqual(seed: UInt64) throws {
    let first = try traceOfExchange(seed: seed)
    #expect(try traceOfExchange(seed: seed) == first)
    #expect(try traceOfExchange(seed: seed + 1000) != first)
  }

  @Test("sleeping takes simulated time and no real time")
  func sleep_aDay_passesOnTheManualClock() throws {
    let simulation = Simulation(seed: 1)
    let loop = simulation.loop()
    let start = simulation.now
    let end = try simulation.run(on: loop, within: .seconds(200_000)) {
      await loop.sleep(.seconds(86_400))
      return loop.now
    }
    let span = start.duration(to: end)
    #expect(span >= .seconds(86_400) && span <= .seconds(86_400) + .milliseconds(1))
    #expect(simulation.timerCount == 0)
  }

  @Test("a timer that another one of the same turn cancels does not fire")
  func timer_cancelledByAnother_doesNotFire() throws {
    let simulation = Simulation(seed: 1)
    let loop = simulation.loop()
    let recorder = TimerRecorder(loop)
    loop.execute {
      let start = loop.now
      let (first, second) = (recorder.schedule(start, 2), recorder.schedule(start, 2))
      recorder.schedule(start, 10)
      recorder.onFire = { _ in
        // Whichever comes first takes the other back.
        loop.cancel(first)
        loop.cancel(second)
      }
    }
    try simulation.run(for: .seconds(1))
    #expect(recorder.fired.map(\.token) == [2, 10])
    #expect(simulation.timerCount == 0)
  }

  @Test("a task that waits for ever is reported with the seed")
  func run_nothingCanHappen_throwsStuck() {
    let simulation = Simulation(seed: 42)
    #expect(throws: SimulationError.stuck(seed: 42)) {
      try simulation.run {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
      }
    }
  }

  @Test("a task that never lets time pass is reported with the seed")
  func run_turnsWithoutEnd_throwsEndless() {
    let simulation = Simulation(seed: 43)
    simulation.turnCountMax = 1000
    simulation.start { while !Task.isCancelled { await Task.yield() } }.cancel()
    let task = simulation.start { while !Task.isCancelled { await Task.yield() } }
    #expect(throws: SimulationError.endless(seed: 43)) { try simulation.settle() }
    task.cancel()
    simulation.turnCountMax = 2000
    #expect(throws: Never.self) { try simulation.settle() }
  }

  @Test("a child task and a task group stay inside the simulation")
  func run_childTasks_runOnTheLoop() throws {
    let simulation = Simulation(seed: 7)
    let loop = simulation.loop()
    let sum = try simulation.run(on: loop) {
      await withTaskGroup(of: Int.self) { group in
        for index in 1...10 {
          group.addTask {
            await loop.sleep(.milliseconds(11 - index))
            return loop.isCurrent ? index : 1000
          }
        }
        return await group.reduce(0, +)
      }
    }
    #expect(sum == 55)
  }
}
