import RPCKit
import RPCKitTesting
import Testing

@testable import TenancyService

@Suite("Silence of a stream of changes")
struct SilenceTests {
  @Test("A silence that lasts for a lease is reported, once")
  func silence_ofALease_isReportedOnce() throws {
    let stage = Stage()
    stage.silence.heard()
    stage.silence.began(at: stage.loop.now)
    try stage.simulation.run(for: .seconds(9))
    #expect(stage.reportCount == 0)
    // An attempt that fails does not begin it anew.
    stage.silence.began(at: stage.loop.now)
    try stage.simulation.run(for: .seconds(2))
    #expect(stage.reportCount == 1)
    stage.silence.began(at: stage.loop.now)
    try stage.simulation.run(for: .seconds(60))
    #expect(stage.reportCount == 1)
    stage.silence.heard()
    stage.silence.began(at: stage.loop.now)
    try stage.simulation.run(for: .seconds(60))
    #expect(stage.reportCount == 2)
    try stage.end()
  }

  @Test("A stream that is heard from within its lease, or was never heard from, is not reported")
  func silence_short_isNotReported() throws {
    let stage = Stage()
    stage.silence.began(at: stage.loop.now)
    try stage.simulation.run(for: .seconds(60))
    #expect(!stage.silence.hasHeard)
    stage.silence.heard()
    for _ in 0..<10 {
      stage.silence.began(at: stage.loop.now)
      try stage.simulation.run(for: .seconds(9))
      stage.silence.heard()
    }
    #expect(stage.reportCount == 0)
    #expect(stage.silence.hasHeard)
    try stage.end()
  }

  /// A watched silence; `@unchecked Sendable`: confined to the simulation's thread.
  private final class Stage: @unchecked Sendable {
    let simulation = Simulation(seed: 1)
    let silence = Silence()
    let loop: SimulatedEventLoop
    private(set) var reportCount = 0
    private var watching: Task<Void, any Error>?

    init() {
      loop = simulation.loop("watcher")
      watching = simulation.start(on: loop) { [self] in
        await silence.watch(for: .seconds(10), on: loop) { self.reportCount += 1 }
      }
    }

    func end() throws {
      watching?.cancel()
      try simulation.settle()
    }
  }
}
