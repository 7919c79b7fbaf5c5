package import CommandLineTool

/// The command line of a service: a command with its words, or none to serve, and the settings' file.
package struct ServiceCommandLine: Equatable, Sendable {
  /// The things that can be asked for instead of a command.
  package enum Request: Sendable {
    /// Explain the program.
    case help
    /// Say the version.
    case version
    /// Say whether the settings are good.
    case checkConfiguration
  }

  /// The command and its words; none is to serve.
  package private(set) var words: [String] = []
  /// The file of the settings; nil is for none.
  package private(set) var configuration: String?
  /// The thing asked for instead; nil for a command or none.
  package private(set) var request: Request?

  /// Reads the arguments after the program's name.
  package init(_ arguments: [String]) throws(UsageError) {
    var reader = ArgumentReader(arguments)
    while let argument = try reader.next() {
      switch argument {
      case .option("-h"), .option("--help"):
        request = .help
        return
      case .option("--version"):
        request = .version
        return
      case .option("--check-config"): request = .checkConfiguration
      case .option("--config"): configuration = try reader.value()
      case .option(let name): throw UsageError("unknown option \(name)")
      case .word(let word): words.append(word)
      }
    }
  }
}
