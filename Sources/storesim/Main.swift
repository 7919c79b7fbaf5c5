import CommandLineTool
import Glibc

/// The program: runs seeds and says which fail.
@main
struct Main {
  private static let help = """
    usage: storesim [SEEDS] [--from SEED] [--failures COUNT]

    Runs two or three programs that share one store on a simulated server of PostgreSQL, once for each of
    SEEDS seeds (1000 unless said otherwise) beginning with SEED (1), with faults and an order of threads that
    follow from the seed, and checks their history. Stops when COUNT seeds (3) have failed. Each failure names
    the command that replays it; the same seed always gives the same run, which the digest at the end shows. A
    single seed is described.

    """

  static func main() {
    let command: SeedCommand
    do throws(UsageError) {
      command = try SeedCommand(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("storesim: \(error)\n\(Self.help)", terminator: "")
      exit(2)
    }
    guard !command.wantsHelp else { return print(Self.help, terminator: "") }
    hashAlike()
    Hooks.install()
    let hasFailed = run(command)
    if hasFailed { exit(1) }
  }

  /// Begins this program anew, if sets and dictionaries would have another order in each process.
  private static func hashAlike() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    guard unsafe getenv(name) == nil else { return }
    _ = unsafe setenv(name, "1", 1)
    _ = unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
    print("storesim: it cannot be started again: error \(errno)")
    exit(1)
  }

  private static func run(_ command: SeedCommand) -> Bool {
    var run = SeedRun()
    for offset in 0..<command.seedCount {
      guard run.failureCount < command.failureCountMax else { break }
      let seed = command.firstSeed &+ offset
      if let failure = run.run(seed: seed, isDescribed: command.seedCount == 1) {
        print(failure.message)
      }
    }
    print(run.summary)
    let missing = run.missing
    for text in missing { print("storesim: \(text)") }
    return run.failureCount > 0 || !missing.isEmpty
  }
}
