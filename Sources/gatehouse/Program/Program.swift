internal import CommandLineTool
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

  /// Runs the command and says how it went.
  func run(_ arguments: [String]) async -> ExitCode {
    var options: CommandLineOptions?
    do {
      let read = try CommandLineOptions(arguments, environment: environment)
      options = read
      return try await run(read)
    } catch {
      return report(error, options)
    }
  }

  private func run(_ options: CommandLineOptions) async throws -> ExitCode {
    if options.wantsVersion {
      try console.line("gatehouse \(GatehouseVersion.description)")
      return .success
    }
    guard let name = options.words.first, name != "help", !options.wantsHelp else {
      return try help(options)
    }
    let command = try Commands.named(name)
    let words = Array(options.words.dropFirst())
    try command.check(options, words, among: Commands.all)
    let context = CommandContext(
      options: options,
      environment: environment,
      console: console,
      clock: clock,
      interrupts: interrupts,
      registry: try options.registry()
    )
    try await command.run(context, words)
    return .success
  }

  /// `gatehouse help call`, `gatehouse call --help`, `gatehouse --help`.
  private func help(_ options: CommandLineOptions) throws -> ExitCode {
    let topic = options.words.first { $0 != "help" }
    guard let topic else {
      try console.line(HelpText.general)
      // Help that was not asked for answers a command line without a command.
      return options.wantsHelp || options.words.first == "help" ? .success : .usage
    }
    try console.line(HelpText.text(try Commands.named(topic)))
    return .success
  }

  private func report(_ error: any Error, _ options: CommandLineOptions?) -> ExitCode {
    switch error {
    case is OutputClosed: return .failure
    case let error as UsageError:
      let topic = command(of: options)
      console.fail("\(error)")
      console.writeError("see gatehouse help\(topic.map { " \($0)" } ?? "")\n")
      return .usage
    case let error as SignInNeeded:
      console.fail("\(error)")
      return .signIn
    case let error as CallFailure:
      let email = options.flatMap { sessionEmail($0) }
      console.writeError(
        FailureText.text(
          error,
          email: email,
          command: command(of: options),
          style: console.errorStyle
        )
      )
      return ExitCode(error.error)
    default:
      console.fail("\(error)")
      return .failure
    }
  }

  private func command(of options: CommandLineOptions?) -> String? {
    options?.words.first.flatMap { word in Commands.all.first { $0.name == word }?.name }
  }

  /// The user of the kept session, for an advice; one that cannot be read is none here.
  private func sessionEmail(_ options: CommandLineOptions) -> String? {
    options.isAnonymous ? nil : (try? SessionFile(path: options.sessionPath).read())?.email
  }
}
