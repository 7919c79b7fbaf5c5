import CommandLineTool
import RPCKitTesting
import Testing

@testable import rpcsim

@Suite("Simulation: random workloads")
struct WorkloadSimulationTests {
  @Test("calls end once and legally, and nothing is left of them, whatever the network does")
  func workload_anySeed_keepsThePromises() {
    // A taste: scripts/simulate runs thousands, optimised.
    var run = SeedRun()
    for seed in 1...100 as ClosedRange<UInt64> where run.failures.count < 3 {
      if let failure = run.run(seed: seed) { Issue.record("\(failure.message)") }
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

  @Test("seeds speak different wires, and those that are written down still speak frames")
  func wire_isDrawnByTheSeed() {
    let wires = (1...100 as ClosedRange<UInt64>).map { SimulatedWire(seed: $0) }
    for wire in SimulatedWire.allCases { #expect(wires.contains(wire)) }
    // docs/maintainers/planted-bugs.md and docs/maintainers/known-issues.md
    for seed in [1, 15, 17, 36, 126, 129, 661, 1847, 4048] as [UInt64] {
      #expect(SimulatedWire(seed: seed) == .frames)
    }
  }

  @Test("a failing seed is named together with the command that replays it")
  func failure_message_namesTheReplay() {
    let failure = SeedRun.Failure(seed: 42, problems: (1...7).map { "problem \($0)" })
    let lines = failure.message.split(separator: "\n")
    #expect(lines.first == "seed 42 fails; replay with: scripts/simulate 1 --from 42")
    #expect(lines.count == 7 && lines.last == "  and 2 more")
  }

  @Test("the command line says how many seeds, and from which on")
  func command_arguments_areRead() throws {
    let command = try SeedCommand(["1", "--from", "42"])
    #expect(command.seedCount == 1 && command.firstSeed == 42)
    #expect(throws: UsageError.self) { try SeedCommand(["--from"]) }
    #expect(throws: UsageError.self) { try SeedCommand(["many"]) }
  }
}
