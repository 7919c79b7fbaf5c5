/// The command line of a program that runs seeds: `[SEEDS] [--from SEED] [--failures COUNT]`.
package struct SeedCommand: Equatable {
  /// How many seeds to run.
  package private(set) var seedCount: UInt64 = 1000
  /// The first of them.
  package private(set) var firstSeed: UInt64 = 1
  /// Failing seeds after which to stop.
  package private(set) var failureCountMax: UInt64 = 3
  package private(set) var wantsHelp = false

  /// Reads the arguments without the program's name.
  package init(_ arguments: [String]) throws(UsageError) {
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
