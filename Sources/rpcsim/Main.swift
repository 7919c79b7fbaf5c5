import CommandLineTool
import Glibc

/// The program: runs seeds and says which fail.
@main
struct Main {
  static func main() {
    let command: SimulationCommand
    do throws(UsageError) {
      command = try SimulationCommand(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("rpcsim: \(error)\n\(SimulationCommand.help)", terminator: "")
      exit(2)
    }
    guard !command.wantsHelp else { return print(SimulationCommand.help, terminator: "") }
    if command.seedCount == 1 { print(Workload(seed: command.firstSeed).plan) }
    var run = SeedRun()
    for offset in 0..<command.seedCount {
      guard run.failures.count < command.failureCountMax else { break }
      if let failure = run.run(seed: command.firstSeed &+ offset) { print(failure.message) }
    }
    print(run.summary)
    for text in run.missing { print("rpcsim: \(text)") }
    if !run.failures.isEmpty || !run.missing.isEmpty { exit(1) }
  }
}
