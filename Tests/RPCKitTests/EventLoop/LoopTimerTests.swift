import RPCKitTesting
import Synchronization
import Testing

@testable import RPCKit

@Suite("Timers of one action, and sleeping", .teardown)
struct LoopTimerTests {
  @Test("A sleep that is cancelled ends at once and leaves no timer behind")
  func sleep_cancelled_leavesNoTimer() throws {
    let simulation = Simulation(seed: 1)
    let loop = simulation.loop()
    let began = simulation.now
    let sleeping = simulation.start(on: loop) { await loop.sleep(.seconds(60)) }
    try simulation.run(for: .seconds(1))
    #expect(loop.timerCount == 1)
    sleeping.cancel()
    try simulation.settle()
    #expect(loop.timerCount == 0)
    #expect(began.duration(to: simulation.now) == .seconds(1))
  }

  @Test("A task that is cancelled before it sleeps sets no timer")
  func sleep_alreadyCancelled_setsNoTimer() throws {
    let simulation = Simulation(seed: 2)
    let loop = simulation.loop()
    let began = simulation.now
    simulation.start(on: loop) { await loop.sleep(.seconds(60)) }.cancel()
    try simulation.settle()
    #expect(loop.timerCount == 0)
    #expect(began.duration(to: simulation.now) == .zero)
  }

  @Test(
    "A timer fires once, at its time, and not after it was cancelled",
    arguments: [false, true]
  )
  func after_cancelled_doesNotFire(isCancelled: Bool) throws {
    let simulation = Simulation(seed: 3)
    let loop = simulation.loop()
    let firings = Atomic(0)
    let timer = loop.after(.seconds(5)) { firings.add(1, ordering: .relaxed) }
    try simulation.run(for: .seconds(4))
    #expect(loop.timerCount == 1 && firings.load(ordering: .relaxed) == 0)
    if isCancelled { timer.cancel() }
    try simulation.run(for: .seconds(2))
    #expect(firings.load(ordering: .relaxed) == (isCancelled ? 0 : 1))
    #expect(loop.timerCount == 0)
    timer.cancel()
    try simulation.settle()
  }
}
