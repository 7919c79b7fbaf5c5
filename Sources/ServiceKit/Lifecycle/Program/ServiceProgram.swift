internal import Glibc
internal import RPCKit
internal import StrictJSON

/// A command of a service besides serving, run on the server by an operator.
public struct OperatorCommand<Service: HostedService>: Sendable {
  /// The name on the command line: `grant-super-admin`.
  public let name: String
  /// Its arguments, for the help: `EMAIL`.
  public let arguments: String
  /// One line for people.
  public let summary: String
  /// Runs it, and returns what to print.
  ///
  /// Throws what a person can act on.
  public let run: @Sendable (Service.Settings, ServiceEnvironment, [String]) async throws -> String

  /// Makes a command.
  public init(
    name: String,
    arguments: String,
    summary: String,
    run: @escaping @Sendable (Service.Settings, ServiceEnvironment, [String]) async throws -> String
  ) {
    self.name = name
    self.arguments = arguments
    self.summary = summary
    self.run = run
  }
}

/// The program of a service: command line, settings, signals, exit code.
public struct ServiceProgram<Service: HostedService>: Sendable {
  private let commands: [OperatorCommand<Service>]
  private let apiDocument: StaticString?

  /// Makes the program; `apiDocument` is OpenAPI 3.1 of all that can be called by HTTP, nil to serve none.
  public init(
    _ service: Service.Type,
    commands: [OperatorCommand<Service>] = [],
    apiDocument: StaticString? = nil
  ) {
    self.commands = commands
    self.apiDocument = apiDocument
  }

  /// Runs to the end of the process: 0 when all went well, 2 for a wrong command line or setting, 1
  /// for everything else.
  ///
  /// Reasons go to standard error.
  public func main() async -> Never {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      let commandLine = try ServiceCommandLine(arguments, commands: commands.map(\.name))
      try await run(commandLine)
      exit(0)
    } catch {
      StandardErrorSink.shared.flush()
      // The operator who reads this is on our side: a connection that failed says why.
      let reason = RPCError.descriptionWithCause(of: error)
      FileBytes.writeAll("\(Service.identity.name)-service: \(reason)\n", to: STDERR_FILENO)
      exit(error is ConfigurationError ? 2 : 1)
    }
  }

  private func run(_ commandLine: ServiceCommandLine) async throws {
    switch commandLine {
    case .help: FileBytes.writeAll(help, to: STDOUT_FILENO)
    case .version: FileBytes.writeAll("\(GatehouseVersion.description)\n", to: STDOUT_FILENO)
    case .checkConfiguration(let path):
      try check(path)
      FileBytes.writeAll("the configuration is valid\n", to: STDOUT_FILENO)
    case .serve(let path):
      try await serve(
        try read(path),
        currentSettings: { try read(path).own },
        changedSettings: try changes(path)
      )
    case .probe(let path): try await probe(try read(path).common)
    case .backUp(let path, let target):
      let settings = try read(path)
      try await Database.backUp(settings.common.database, to: target)
      FileBytes.writeAll("backed up to \(target)\n", to: STDOUT_FILENO)
    case .verify(let path, let file):
      try await verify(file ?? (try read(path).common.database))
    case .setAside(let path):
      let target = try Database.setAside(try read(path).common.database)
      FileBytes.writeAll(
        "the store was renamed to \(target); the next start creates a new one\n",
        to: STDOUT_FILENO
      )
    case .acceptStore(let path):
      let database = try read(path).common.database
      try await Database.accept(database, Service.store)
      FileBytes.writeAll("\(database) was accepted as it is\n", to: STDOUT_FILENO)
    case .command(let name, let arguments, let path):
      guard let command = commands.first(where: { $0.name == name }) else {
        preconditionFailure("the command line accepted a command that is not there")
      }
      let settings = try read(path)
      let loops = try EventLoopGroup.epoll(count: 1)
      let environment = try environment(settings.common, loops, tls: Self.tls(settings.common))
      let output = try await command.run(settings.own, environment, arguments)
      FileBytes.writeAll(output + "\n", to: STDOUT_FILENO)
    }
  }

  // MARK: - Settings

  private struct Settings {
    var common: ServiceSettings
    var own: Service.Settings
  }

  private func read(_ path: String?) throws(ConfigurationError) -> Settings {
    let json = try ConfigurationReader.read(path: path, environment: ProcessEnvironment.variables)
    let (settings, problems, _) = ConfigurationReader.decodeAll(json, Self.settings)
    guard problems.isEmpty, let settings else {
      throw ConfigurationError(problems.joined(separator: "\n"))
    }
    return settings
  }

  /// Compares the settings as they are now with what a start would find later.
  private func changes(
    _ path: String?
  ) throws(ConfigurationError) -> @Sendable () throws -> [String] {
    let variables = ProcessEnvironment.variables
    let present = try ConfigurationReader.read(path: path, environment: variables)
    return {
      ChangedSettings.paths(
        present,
        try ConfigurationReader.read(path: path, environment: variables)
      )
    }
  }

  /// Reads every setting, opens every file that they name, and says of all what is wrong.
  private func check(_ path: String?) throws(ConfigurationError) {
    let json = try ConfigurationReader.read(path: path, environment: ProcessEnvironment.variables)
    let (settings, problems, isWrong) = ConfigurationReader.decodeAll(json, Self.settings)
    var check = ConfigurationCheck(problems, isWrong: isWrong)
    if let settings {
      check.common(settings.common)
      Service.check(settings.own, settings.common, &check)
    }
    try check.finish()
  }

  private static func settings(
    _ members: inout JSONMembers
  ) throws(JSONDecodingError) -> Settings {
    let identity = Service.identity
    let common = try ServiceSettings(
      &members,
      name: identity.name,
      port: identity.port,
      adminPort: identity.adminPort
    )
    return Settings(common: common, own: try Service.settings(&members))
  }

  private static func tls(_ settings: ServiceSettings) throws -> TLSContextSource? {
    do {
      return try settings.tls.map { try TLSContextSource($0.serverConfiguration(settings.http)) }
    } catch {
      throw StartError(tls: error)
    }
  }

  private func environment(
    _ settings: ServiceSettings,
    _ loops: EventLoopGroup,
    tls: TLSContextSource?
  ) throws -> ServiceEnvironment {
    let registry = MetricRegistry()
    let metrics = RPCMetrics(
      registry: registry,
      version: GatehouseVersion.text,
      revision: GatehouseVersion.revision
    )
    loops.report(to: metrics)
    let identifiers = IdentifierFactory(clock: SystemWallClock(), random: SystemRandomSource())
    return ServiceEnvironment(
      name: Service.identity.name,
      settings: settings,
      logger: Logger(
        label: Service.identity.name,
        level: settings.logLevel,
        sink: StandardErrorSink.shared,
        surroundings: {
          CallContext.current.map { ["request_id": .string(identifiers.requestID(of: $0))] } ?? [:]
        }
      ),
      metrics: metrics,
      loops: loops,
      tls: try settings.tls.map { try TLSContextSource($0.clientConfiguration) },
      apiDocument: apiDocument
    )
  }

  // MARK: - Serving

  private func serve(
    _ settings: Settings,
    currentSettings: @escaping @Sendable () throws -> Service.Settings,
    changedSettings: @escaping @Sendable () throws -> [String]
  ) async throws {
    let signals = try ProcessSignals.watch([.terminate, .interrupt, .hangUp])
    DescriptorLimit.raise()
    let loops = try EventLoopGroup.epoll(count: settings.common.loopCount)
    let tls = try Self.tls(settings.common)
    let environment = try environment(settings.common, loops, tls: tls)
    let host = try await ServiceHost<Service>(
      settings.own,
      in: environment,
      tls: tls,
      currentSettings: currentSettings,
      changedSettings: changedSettings
    )
    try await host.run(signals: signals) { _ in }
    StandardErrorSink.shared.flush()
  }

  /// Asks the health service at the first address that is listened at.
  private func probe(_ settings: ServiceSettings) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let environment = try environment(settings, loops, tls: nil)
    try await environment.probe()
    FileBytes.writeAll("serving\n", to: STDOUT_FILENO)
  }

  // MARK: - Stores

  /// The damage that `verify` found.
  private struct Damage: Error, CustomStringConvertible {
    let findings: [String]

    var description: String { "the store is damaged:\n" + findings.map { "  \($0)\n" }.joined() }
  }

  private func verify(_ path: String) async throws {
    let findings = try await Database.verify(path, Service.store) { line in
      FileBytes.writeAll("\(line)\n", to: STDOUT_FILENO)
    }
    guard findings.isEmpty else { throw Damage(findings: findings) }
    FileBytes.writeAll("no damage found in \(path)\n", to: STDOUT_FILENO)
  }

  // MARK: - Help

  private var help: String {
    let identity = Service.identity
    let name = "\(identity.name)-service"
    let own = commands.map { command in
      let words = [name, command.name, command.arguments, "[--config FILE]"].filter { !$0.isEmpty }
      return "  \(words.joined(separator: " "))\n      \(command.summary)\n"
    }
    return """
      \(identity.summary)

        \(name) [--config FILE]
            Serve until SIGTERM or Control-C, then drain. SIGHUP reloads certificates and service
            keys (and TenancyService's policy, EntitlementService's catalogue).
        \(name) --check-config [--config FILE]
            Validate the settings and the files that they name.
        \(name) probe [--config FILE]
            Ask the running service whether it is ready; exit with 0 if so.
        \(name) backup FILE [--config FILE]
            Copy the store to FILE; the service may be running.
        \(name) verify [FILE] [--config FILE]
            Check the whole store, or a copy of it, for damage. Changes nothing.
        \(name) set-aside [--config FILE]
            Rename the files of the store, so that the next start creates a new one.
        \(name) accept-store [--config FILE]
            Accept a store that the service did not leave as it is now, such as a restored copy.
      \(own.joined())
        --config FILE   Settings as a JSON object. Environment variables override them:
                        GATEHOUSE_LOG__LEVEL=debug sets log.level. See docs/operations/services.md.
        --version       Print the version.
        --help          Print this text.

      By default calls are served on 127.0.0.1:\(identity.port), metrics and probes on \
      127.0.0.1:\(identity.adminPort).

      """
  }
}
