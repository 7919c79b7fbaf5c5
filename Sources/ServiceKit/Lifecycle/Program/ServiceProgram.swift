internal import CommandLineTool
internal import Glibc
internal import RPCKit
internal import StrictJSON

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
      try await run(try ServiceCommandLine(Array(CommandLine.arguments.dropFirst())))
      exit(0)
    } catch {
      StandardErrorSink.shared.flush()
      // The operator who reads this is on our side: a connection that failed says why.
      let reason = RPCError.descriptionWithCause(of: error)
      let advice = error is UsageError ? "; see --help" : ""
      FileBytes.writeAll(
        "\(Service.identity.name)-service: \(reason)\(advice)\n",
        to: STDERR_FILENO
      )
      exit(error is ConfigurationError || error is UsageError ? 2 : 1)
    }
  }

  private func run(_ line: ServiceCommandLine) async throws {
    let path = line.configuration
    switch line.request {
    case .help: Self.say(help)
    case .version: Self.say(GatehouseVersion.description)
    case .checkConfiguration where line.words.isEmpty:
      try check(path)
      Self.say("the configuration is valid")
    case .checkConfiguration, nil:
      guard let command = try Command.called(by: line.words, among: all) else {
        return try await serve(
          try read(path),
          currentSettings: { try read(path).own },
          changedSettings: try changes(path)
        )
      }
      Self.say(try await command.run(try read(path), Array(line.words.dropFirst())))
    }
  }

  private static func say(_ text: String) {
    FileBytes.writeAll(text + "\n", to: STDOUT_FILENO)
  }

  // MARK: - Commands

  private typealias Command = ProgramCommand<Settings>

  /// The commands that every service has, and those of its own.
  private var all: [Command] {
    [
      Command("probe", "", "Ask the running service whether it is ready; exit with 0 if so.") {
        settings,
        _ in
        let loops = try EventLoopGroup.epoll(count: 1)
        try await environment(settings.common, loops, tls: nil).probe()
        return "serving"
      },
      Command("backup", "FILE", "Copy the store to FILE; the service may be running.") {
        let store = try $0.common.store.file(
          instead: "back it up with pg_dump or pg_basebackup, see docs/operations/postgresql.md"
        )
        try await Database.backUp(store, to: $1[0])
        return "backed up to \($1[0])"
      },
      Command(
        "verify",
        "[FILE]",
        "Check the whole store, or a copy of it, for damage. Changes nothing."
      ) { settings, words in
        let place = words.first.map { StorePlace.file($0) } ?? settings.common.store
        let findings = try await Self.verify(place)
        guard findings.isEmpty else { throw Damage(findings: findings) }
        return "no damage found in \(place)"
      },
      Command(
        "set-aside",
        "",
        "Rename the files of the store, so that the next start creates a new one."
      ) { settings, _ in
        let path = try settings.common.store.file(
          instead: "give its schema another name there (ALTER SCHEMA … RENAME TO …)"
        )
        let target = try Database.setAside(path)
        return "the store was renamed to \(target); the next start creates a new one"
      },
      Command(
        "accept-store",
        "",
        "Accept a store that the service did not leave as it is now, such as a restored copy."
      ) { settings, _ in
        let path = try settings.common.store.file(
          instead: "it is taken as it is there, and needs no acceptance"
        )
        try await Database.accept(path, Service.store)
        return "\(path) was accepted as it is"
      },
      Command(
        "copy-store",
        "TO",
        "Copy the store to a new file or an empty schema of PostgreSQL; this one takes no writes afterwards."
      ) { settings, words in
        let (source, target) = (settings.common.store, try Self.place(words[0]))
        try await Database.copy(source, to: target, Service.store) { Self.say($0) }
        let setting = target.server == nil ? "database" : "store"
        return """
          \(source) was copied to \(target), and goes on with reads alone.
          Set \(setting) to \(words[0]) and start the service again; resume-store takes this store back.
          """
      },
      Command(
        "resume-store",
        "",
        "Have a store take writes again that copy-store has copied; the copy is another store from then on."
      ) { settings, _ in
        let store = settings.common.store
        guard try await Database.resume(store, Service.store) else {
          return "\(store) takes writes; nothing was changed"
        }
        return "\(store) takes writes again"
      },
    ] + commands.map(command)
  }

  /// The place that a command was given.
  private static func place(_ text: String) throws -> StorePlace {
    guard let server = PostgresLocation(text) else { return .file(text) }
    guard !server.hasPassword else {
      throw UsageError(
        "a password does not belong in a command line: use passfile=… or a client certificate"
      )
    }
    return .server(server)
  }

  private static func verify(_ place: StorePlace) async throws -> [String] {
    if let server = place.server {
      return try await Database.verify(server, Service.store) { Self.say($0) }
    }
    return try await Database.verify(place.path, Service.store) { Self.say($0) }
  }

  private func command(_ own: OperatorCommand<Service>) -> Command {
    Command(own.name, own.arguments, own.summary) { settings, words in
      let loops = try EventLoopGroup.epoll(count: 1)
      let tls = try Self.tls(settings.common)
      return try await own.run(
        settings.own,
        try environment(settings.common, loops, tls: tls),
        words
      )
    }
  }

  /// The damage that `verify` found.
  private struct Damage: Error, CustomStringConvertible {
    let findings: [String]

    var description: String { "the store is damaged:\n" + findings.map { "  \($0)\n" }.joined() }
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

  // MARK: - Help

  private var help: String {
    let identity = Service.identity
    let name = "\(identity.name)-service"
    let listed = all.map { command in
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
      \(listed.joined())
        --config FILE   Settings as a JSON object. Environment variables override them:
                        GATEHOUSE_LOG__LEVEL=debug sets log.level. See docs/operations/services.md.
        --version       Print the version.
        --help          Print this text.

      By default calls are served on 127.0.0.1:\(identity.port), metrics and probes on \
      127.0.0.1:\(identity.adminPort).
      """
  }
}
