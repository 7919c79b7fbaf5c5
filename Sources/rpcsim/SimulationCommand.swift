/// The command line: `rpcsim [SEEDS] [--from SEED] [--failures COUNT]`.
struct SimulationCommand: Equatable {
  /// How many seeds to run.
  var seedCount: UInt64 = 1000
  /// The first of them.
  var firstSeed: UInt64 = 1
  /// Failing seeds after which to stop.
  var failureCountMax: UInt64 = 3
  var wantsHelp = false

  static let help = """
    usage: rpcsim [SEEDS] [--from SEED] [--failures COUNT]

    Runs random workloads of clients and servers over a simulated network, one for each of SEEDS
    seeds (1000 unless said otherwise) beginning with SEED (1), and checks what must hold of them.
    Stops when COUNT seeds (3) have failed. Each failure names the command that replays it; the same
    seed always gives the same run, which the digest at the end shows. A single seed is described.

    """

  /// Reads the arguments without the program's name.
  init(_ arguments: [String]) throws(SimulationCommandError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": wantsHelp = true
      case "--from": firstSeed = try Self.number(rest.popFirst() ?? "", argument)
      case "--failures": failureCountMax = try Self.number(rest.popFirst() ?? "", argument)
      default: seedCount = try Self.number(argument, "SEEDS")
      }
    }
  }

  private static func number(
    _ text: String,
    _ what: String
  ) throws(SimulationCommandError) -> UInt64 {
    guard let number = UInt64(text) else {
      throw SimulationCommandError("\(what) must be a number and not \"\(text)\"")
    }
    return number
  }
}

/// A command line that makes no sense.
struct SimulationCommandError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
