import CommandLineTool
import Glibc

/// The program: runs seeds and says which fail.
@main
struct Main {
  private static let help = """
    usage: rpcsim [SEEDS] [--from SEED] [--failures COUNT]

    Runs random workloads of clients and servers over a simulated network, one for each of SEEDS
    seeds (1000 unless said otherwise) beginning with SEED (1), and checks what must hold of them.
    Stops when COUNT seeds (3) have failed. Each failure names the command that replays it; the same
    seed always gives the same run, which the digest at the end shows. A single seed is described.

    """

  static func main() {
    let command: SeedCommand
    do throws(UsageError) {
      command = try SeedCommand(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("rpcsim: \(error)\n\(Self.help)", terminator: "")
      exit(2)
    }
    guard !command.wantsHelp else { return print(Self.help, terminator: "") }
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
