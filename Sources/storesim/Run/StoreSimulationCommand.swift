internal import CommandLineTool

/// The command line: `storesim [SEEDS] [--from SEED] [--failures COUNT]`.
struct StoreSimulationCommand: Equatable {
  /// How many seeds to run.
  var seedCount: UInt64 = 1000
  /// The first of them.
  var firstSeed: UInt64 = 1
  /// Failing seeds after which to stop.
  var failureCountMax: UInt64 = 3
  var wantsHelp = false

  static let help = """
    usage: storesim [SEEDS] [--from SEED] [--failures COUNT]

    Runs two or three programs that share one store on a simulated server of PostgreSQL, once for each of
    SEEDS seeds (1000 unless said otherwise) beginning with SEED (1), with faults and an order of threads that
    follow from the seed, and checks their history. Stops when COUNT seeds (3) have failed. Each failure names
    the command that replays it; the same seed always gives the same run, which the digest at the end shows. A
    single seed is described.

    """

  /// Reads the arguments without the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    var reader = ArgumentReader(arguments)
    while let argument = try reader.next() {
      switch argument {
      case .option("-h"), .option("--help"): wantsHelp = true
      case .option("--from"): firstSeed = try reader.unsigned()
      case .option("--failures"): failureCountMax = try reader.unsigned()
      case .option(let name): throw UsageError("unknown option \(name)")
      case .word(let word):
        guard let count = UInt64(word) else {
          throw UsageError("SEEDS must be a number and not \"\(word)\"")
        }
        seedCount = count
      }
    }
  }
}
