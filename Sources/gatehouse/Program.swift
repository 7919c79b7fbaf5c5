internal import RPCKit
internal import Reflection
internal import ServiceKit

/// Runs one command line.
struct Program: Sendable {
  /// Variables of the environment.
  let environment: [String: String]
  /// Where results go.
  let console: Console
  /// Decides when tokens need to be refreshed.
  let clock: any WallClock
  /// Control-C as a sequence; asked for once, by commands that run until then.
  let interrupts: @Sendable () throws -> AsyncStream<ProcessSignal>

  /// Runs the command and says how it went: 0 well, 1 the command failed, 2 it made no sense.
  func run(_ arguments: [String]) async -> Int32 {
    var name: String?
    do {
      let options = try CommandLineOptions(arguments, environment: environment)
      name = options.words.first
      guard let name, name != "help", !options.wantsHelp else {
        return try help(options)
      }
      guard let kind = CommandName(rawValue: name) else {
        throw UsageError("unknown command \"\(name)\"")
      }
      let command = try kind.command(Array(options.words.dropFirst()))
      try await command.run(
        CommandContext(
          options: options,
          environment: environment,
          console: console,
          clock: clock,
          interrupts: interrupts
        )
      )
      return 0
    } catch {
      return report(error, command: name)
    }
  }

  /// `gatehouse help call`, `gatehouse call --help`, `gatehouse --help`.
  private func help(_ options: CommandLineOptions) throws -> Int32 {
    let topic = options.words.first { $0 != "help" }
    guard let topic else {
      try console.line(HelpText.general)
      // Help that was not asked for answers a command line without a command.
      return options.wantsHelp || options.words.first == "help" ? 0 : 2
    }
    guard let kind = CommandName(rawValue: topic) else {
      throw UsageError("unknown command \"\(topic)\"")
    }
    try console.line(HelpText.text(kind))
    return 0
  }

  private func report(_ error: any Error, command: String?) -> Int32 {
    switch error {
    case is OutputClosed: return 1
    case let error as UsageError:
      let topic = command.flatMap { CommandName(rawValue: $0) }
      let help = topic.map { "gatehouse help \($0.rawValue)" } ?? "gatehouse help"
      console.writeError("gatehouse: \(FailureText.printable("\(error)"))\nsee \(help)\n")
      return 2
    case let error as CallFailure:
      console.writeError(FailureText.text(error))
      return 1
    default:
      console.writeError("gatehouse: \(FailureText.printable("\(error)"))\n")
      return 1
    }
  }
}
