/// The options of the command line.
struct Options {
  var command = ""
  var devices = 1_000_000
  var associations = 1_000_000
  var count = 1_000_000
  var countsAllocations = false
  var seconds = 2.0
  var callers = 64
  var folder = "/tmp"
  var target = ""

  static let help = """
    usage: service-benchmark COMMAND [options]

    Measures a part of the services and prints one line of JSON.

    commands
      engine       permission decisions in memory: --devices N, --associations N (1000000 each),
                   --count N (decisions, 1000000); the policy comes on standard input
      tokens       access tokens that are verified: known ones, new ones, and the plain signature
      passkeys     signatures of passkeys, with a key made ready for each: --count N (keys, at most 1000)
      permissions  permission checks that another service has in its cache
      writes       durable writes of one row by --callers N (64), in --folder DIR (/tmp)
      refreshes    refreshes by --callers N sessions (64) of an AuthService at --target HOST:PORT
      service-token
                   prints a token of EntitlementService for TenancyService, signed with the key
                   that comes on standard input as PEM
      sign-ins     sign-ins by --callers N (64) at --target HOST:PORT

    options
      --signal-allocations
                   engine: sends itself SIGUSR1 before and after the decisions, for the counter
                   in benchmarks/tools
      --seconds S  length of a measurement (2)
      --help       this text
    """

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      switch name {
      case "--help": command = "help"
      case "--devices": devices = try Self.number(name, &rest)
      case "--associations": associations = try Self.number(name, &rest)
      case "--count": count = try Self.number(name, &rest)
      case "--signal-allocations": countsAllocations = true
      case "--callers": callers = try Self.number(name, &rest)
      case "--folder": folder = try Self.value(name, &rest)
      case "--target": target = try Self.value(name, &rest)
      case "--seconds":
        let text = try Self.value(name, &rest)
        guard let number = Double(text), number > 0, number <= 3600 else {
          throw OptionError("\(name) needs seconds, not \(text)")
        }
        seconds = number
      default:
        guard !name.hasPrefix("-"), command.isEmpty else {
          throw OptionError("unknown option \(name); --help lists them")
        }
        command = name
      }
    }
  }

  private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw OptionError("\(name) needs a value") }
    return value
  }

  private static func number(_ name: String, _ rest: inout ArraySlice<String>) throws -> Int {
    let text = try value(name, &rest)
    guard let number = Int(text), (1...100_000_000).contains(number) else {
      throw OptionError("\(name) needs a number from 1 on, not \(text)")
    }
    return number
  }
}

struct OptionError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
