internal import AdminPort
public import RPCKit
internal import RPCKitHTTP
internal import Reflection

/// Serves calls of one service until it is stopped, and stops in order.
///
/// Start: store, listeners, admin port. Stop: not ready, drain, background work, store.
public struct ServiceHost<Service: HostedService>: Sendable {
  private let environment: ServiceEnvironment
  private let service: OpenService<Service.Settings>
  private let server: Server
  private let health: HealthService
  private let tls: TLSContextSource?
  private let currentSettings: @Sendable () throws -> Service.Settings
  private let changedSettings: @Sendable () throws -> [String]
  private let exporter: SpanExporter?

  /// Largest request of a method that anybody may call and that does not say otherwise: what a person types, and the
  /// tokens of a provider.
  private static var publicRequestByteCountMax: Int { 16 << 10 }

  /// Opens the service; nothing listens yet.
  ///
  /// `currentSettings` are the service's own as a start would read them now, for a reload; nil for those it has.
  /// `changedSettings` tells which of all a start would read differently now, for the log.
  public init(
    _ settings: Service.Settings,
    in environment: ServiceEnvironment,
    tls: TLSContextSource? = nil,
    network: any Network = SocketNetwork(),
    currentSettings: (@Sendable () throws -> Service.Settings)? = nil,
    changedSettings: @escaping @Sendable () throws -> [String] = { [] }
  ) async throws {
    self.environment = environment
    self.tls = tls
    self.currentSettings = currentSettings ?? { settings }
    self.changedSettings = changedSettings
    GatehouseVersion.register(in: environment.metrics.registry)
    ProcessMetrics.register(in: environment.metrics.registry)
    exporter = try environment.spanExporter()
    let viewer = try environment.settings.http.apiViewerDocuments()
    do {
      service = try await Service.open(settings, in: environment)
    } catch let error as StoreError {
      throw StartError(error, in: environment.settings.store)
    }
    health = HealthService()
    health.set(.notServing)
    var configuration = ServerConfiguration(
      endpoints: environment.settings.listen.map { address in
        var endpoint: ServerConfiguration.Endpoint =
          tls.map { .init(address, tls: $0) } ?? .init(address)
        endpoint.options.unixSocketMode = environment.settings.socketMode
        return endpoint
      }
    )
    var services = service.services + [health.definition]
    configuration.wires = environment.wires(for: services, service.documents, viewer)
    if environment.settings.http.reflection {
      services += try ServerReflection(services: services).definitions
    }
    configuration.logger = environment.logger
    configuration.compressesResponses = environment.settings.compressesAnswers
    configuration.limits.connectionCountMax = environment.settings.connectionCountMax
    configuration.limits.connectionsPerSourceMax = environment.settings.connectionsPerSourceMax
    configuration.limits.publicRequestByteCountMax = Self.publicRequestByteCountMax
    environment.settings.streams.apply(to: &configuration.limits)
    configuration.limits.drainTimeout = environment.settings.drainTimeout
    // Watches continue elsewhere at once; what a list may still take is little.
    configuration.limits.responseStreamDrainTimeout = .milliseconds(250)
    configuration.drainDelay = environment.settings.drainDelay
    let (logger, identifiers) = (environment.logger, environment.identifiers)
    let errors = CallErrors(
      service: environment.name,
      identifiers: identifiers,
      logger: logger,
      clock: environment.clock,
      metrics: environment.metrics.registry,
      onDenial: service.onDenial
    )
    configuration.completeError = { error, call in errors.complete(error, call) }
    configuration.refusalDetails = CallErrors.refusalDetails
    let tracing = environment.tracer.map { [TracingInterceptor($0)] } ?? []
    server = Server(
      configuration,
      services: services,
      interceptors: tracing + service.interceptors,
      on: environment.loops,
      network: network,
      metrics: environment.metrics,
      reportUnexpected: { id, call, error in
        logger.error(
          "handler failed",
          [
            "correlation_id": .string(id), "method": .string(call.method.method),
            "error": "\(error)", "request_id": .string(identifiers.requestID(of: call)),
          ]
        )
      }
    )
  }

  /// Serves until `stop` is called on the server or the task is cancelled; `ready` gets the bound
  /// addresses.
  public func run(
    signals: AsyncStream<ProcessSignal>,
    ready: @escaping @Sendable ([SocketAddress]) -> Void
  ) async throws {
    let admin: AdminServer?
    do {
      admin = try await startAdmin()
    } catch {
      await service.close()
      throw (error as? ListenError).map { StartError("admin", $0) as any Error } ?? error
    }
    defer { admin?.close() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      // A signal ends the serving, or a failure; work that comes to an end does not.
      group.addTask {
        async let work: Void = service.run()
        async let spans: Void? = exporter?.run()
        await followReadiness()
        await work
        await spans
      }
      group.addTask { await react(to: signals) }
      do {
        try await server.serving { server in
          ready(server.addresses)
          environment.logger.notice(
            "serving",
            ["addresses": .string(server.addresses.map(\.description).joined(separator: " "))]
          )
          try await group.next()
          environment.logger.notice("draining", [:])
          health.shutDown()
        }
      } catch {
        group.cancelAll()
        await service.close()
        throw (error as? ListenError).map { StartError("listen", $0) as any Error } ?? error
      }
      group.cancelAll()
      await service.close()
    }
    // After the task that exports, so that two do not send the same spans.
    await exporter?.flush()
    environment.logger.notice("stopped", [:])
  }

  private func startAdmin() async throws -> AdminServer? {
    guard let address = environment.settings.admin else { return nil }
    let responder = AdminResponder(registry: environment.metrics.registry) {
      [service, server] in
      let serving = Readiness.Check("serving", isReady: server.isServing)
      let load = Readiness.Check(load: server.recentlyShed)
      return Readiness([serving, load] + service.readiness().checks)
    }
    return try await AdminServer.start(
      at: address,
      on: environment.loops.loops[0],
      responder: responder,
      metrics: environment.metrics
    )
  }

  /// Keeps what the health service says the same as what `/readyz` says, until the task is cancelled.
  private func followReadiness() async {
    while !Task.isCancelled {
      health.set(service.readiness().isReady ? .serving : .notServing)
      await environment.loops.loops[0].sleep(.milliseconds(100))
    }
  }

  /// Returns when the service should stop; reloads on SIGHUP.
  private func react(to signals: AsyncStream<ProcessSignal>) async {
    for await signal in signals {
      guard signal == .hangUp else { return }
      await reload()
      reportChangedSettings()
    }
  }

  /// Reads files again, and says which settings they belong to.
  ///
  /// Each for itself: a mistake in a policy must not keep a certificate from being renewed.
  private func reload() async {
    var reloaded: [String] = []
    func attempt(_ settings: [String], _ body: () async throws -> Void) async {
      do {
        try await body()
        reloaded += settings
      } catch {
        environment.logger.error(
          "reload failed; the old contents stay in force",
          ["settings": .string(settings.joined(separator: " ")), "error": "\(error)"]
        )
      }
    }
    await attempt(Service.reloadedSettings) { try await service.reload(try currentSettings()) }
    if let tls {
      await attempt(["tls"]) {
        try tls.reload()
        try environment.reloadCertificates()
      }
    }
    let secret = environment.settings.gatewaySecret == nil ? [] : ["gateway_secret"]
    await attempt(["service_keys"] + secret) { try environment.reloadServiceKeys() }
    environment.logger.notice(
      "reloaded",
      ["settings": .string(reloaded.joined(separator: " "))]
    )
  }

  /// Warns of settings that were changed and are not in force.
  private func reportChangedSettings() {
    do {
      let changed = try changedSettings().filter { !Service.reloadedSettings.contains($0) }
      guard !changed.isEmpty else { return }
      environment.logger.warning(
        "settings changed that need a restart",
        ["settings": .string(changed.joined(separator: " "))]
      )
    } catch {
      environment.logger.error("the settings can no longer be read", ["error": "\(error)"])
    }
  }
}
