/// The command line of a service.
public enum ServiceCommandLine: Equatable, Sendable {
  /// Serve with the settings of a file.
  case serve(configuration: String?)
  /// Say whether the settings are good.
  case checkConfiguration(String?)
  /// Ask a running service whether it is ready; for health checks of containers.
  case probe(configuration: String?)
  /// Copy the store of a running service to a file.
  case backUp(configuration: String?, to: String)
  /// Read all of the store, or of a copy, and say what is wrong with it.
  case verify(configuration: String?, file: String?)
  /// Give the store other names, so that the next start makes a new one.
  case setAside(configuration: String?)
  /// Take the store for the right one although it differs from how it was left.
  case acceptStore(configuration: String?)
  /// A command of the service's own.
  case command(String, arguments: [String], configuration: String?)
  /// Explain the program.
  case help
  /// Say the version.
  case version

  /// Reads the arguments after the program's name.
  public init(_ arguments: [String], commands: [String]) throws(ConfigurationError) {
    var configuration: String?
    var words: [String] = []
    var checks = false
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help":
        self = .help
        return
      case "--version":
        self = .version
        return
      case "--check-config": checks = true
      case "--config":
        guard let path = rest.popFirst() else { throw Self.usage("--config needs a file name") }
        configuration = path
      default:
        guard !argument.hasPrefix("-") else { throw Self.usage("unknown option \(argument)") }
        words.append(argument)
      }
    }
    self = try Self.read(words, configuration, checks: checks, commands: commands)
  }

  private static func read(
    _ words: [String],
    _ configuration: String?,
    checks: Bool,
    commands: [String]
  ) throws(ConfigurationError) -> ServiceCommandLine {
    guard let command = words.first else {
      return checks ? .checkConfiguration(configuration) : .serve(configuration: configuration)
    }
    switch (command, words.count) {
    case ("probe", 1): return .probe(configuration: configuration)
    case ("backup", 2): return .backUp(configuration: configuration, to: words[1])
    case ("verify", 1): return .verify(configuration: configuration, file: nil)
    case ("verify", 2): return .verify(configuration: configuration, file: words[1])
    case ("set-aside", 1): return .setAside(configuration: configuration)
    case ("accept-store", 1): return .acceptStore(configuration: configuration)
    case ("probe", _), ("backup", _), ("verify", _), ("set-aside", _), ("accept-store", _):
      throw usage("wrong number of arguments for \(command)")
    default:
      guard commands.contains(command) else { throw usage("unknown command \(command)") }
      return .command(command, arguments: Array(words.dropFirst()), configuration: configuration)
    }
  }

  private static func usage(_ problem: String) -> ConfigurationError {
    ConfigurationError("\(problem); see --help")
  }
}
