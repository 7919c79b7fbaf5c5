import Glibc
import RPCKitTesting
import Testing

@Suite("Simulation: random workloads")
struct WorkloadSimulationTests {
  /// A number from the environment.
  private static func setting(_ name: String) -> UInt64? {
    unsafe getenv(name).flatMap { unsafe UInt64(String(cString: $0)) }
  }

  /// `RPCKIT_SIMULATION_SEED` replays one seed, `RPCKIT_SIMULATION_SEEDS` says how many to run.
  private static let seeds: ClosedRange<UInt64> = {
    if let seed = setting("RPCKIT_SIMULATION_SEED") { return seed...seed }
    return 1...(setting("RPCKIT_SIMULATION_SEEDS") ?? 30)
  }()

  @Test("calls end once and legally, and nothing is left of them, whatever the network does")
  func workload_anySeed_keepsThePromises() {
    var outcomes: [Int32: Int] = [:]
    var failedCount = 0
    for seed in Self.seeds where failedCount < 3 {
      let workload = Workload(seed: seed)
      do {
        try workload.run()
      } catch {
        failedCount += 1
        Issue.record("seed \(seed): \(error). Replay with RPCKIT_SIMULATION_SEED=\(seed)")
      }
      if !workload.problems.isEmpty {
        failedCount += 1
        let problems = workload.problems.prefix(5).joined(separator: "\n")
        Issue.record("seed \(seed): replay with RPCKIT_SIMULATION_SEED=\(seed)\n\(problems)")
      }
      outcomes.merge(workload.outcomes, uniquingKeysWith: +)
    }
    // A run in which hardly anything happened proves nothing.
    if Self.seeds.count >= 100 {
      for code: Int32 in [0, 1, 4, 5, 8, 14] {
        #expect(outcomes[code, default: 0] > 0, "status \(code) hardly occurs")
      }
    }
  }

  @Test("the same seed gives the same workload, step by step", arguments: 1...20)
  func workload_sameSeed_hasTheSameTrace(seed: UInt64) throws {
    let first = Workload(seed: seed)
    try first.run()
    let second = Workload(seed: seed)
    try second.run()
    #expect(first.simulation.traceHash == second.simulation.traceHash)
    #expect(first.simulation.turnCount == second.simulation.turnCount)
  }
}
