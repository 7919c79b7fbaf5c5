public import RPCKit

/// The surroundings that the host gives a service: everything that it would otherwise reach out for.
public struct ServiceEnvironment: Sendable {
  /// The service's name.
  public let name: String
  /// The common settings.
  public let settings: ServiceSettings
  /// The date, for tokens and windows.
  public let clock: any WallClock
  /// Where chance comes from.
  public let random: any RandomSource
  /// Where log lines go.
  public let logger: Logger
  /// Where metrics are registered.
  public let metrics: RPCMetrics
  /// Makes identifiers, and knows those of requests.
  public let identifiers: IdentifierFactory
  /// The loops of the process; also the monotonic clock.
  public let loops: EventLoopGroup
  /// OpenAPI 3.1 of all that can be called by HTTP, served at `/openapi.json`; nil to serve none.
  public let apiDocument: StaticString?

  let proofs: ServiceProofs
  /// Traces calls; nil when nothing is traced.
  let tracer: Tracer?
  private let tls: TLSContextSource?
  private let network: any Network

  /// Makes an environment; tests give a clock, chance and network of their own.
  public init(
    name: String,
    settings: ServiceSettings,
    clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: RPCMetrics,
    loops: EventLoopGroup,
    tls: TLSContextSource? = nil,
    network: any Network = SocketNetwork(),
    apiDocument: StaticString? = nil
  ) {
    self.name = name
    self.apiDocument = apiDocument
    self.settings = settings
    self.clock = clock
    self.random = random
    identifiers = IdentifierFactory(clock: clock, random: random)
    self.logger = logger
    self.metrics = metrics
    self.loops = loops
    proofs = ServiceProofs(
      name: name,
      settings: settings.serviceKeys,
      gateways: settings.gateways,
      gatewaySecret: settings.gatewaySecret,
      clock: clock,
      random: random
    )
    let spans = TraceMetrics(metrics.registry)
    tracer = settings.traces.map { [identifiers] traces in
      Tracer(
        sampleRatio: traces.sampleRatio,
        identifiers: identifiers,
        random: random,
        metrics: spans
      )
    }
    self.tls = tls
    self.network = network
  }

  /// Reads the certificate again that is shown to peers, for connections that begin from now on.
  func reloadCertificates() throws {
    try tls?.reload()
  }

  /// A channel to another service, which the caller closes.
  ///
  /// Throws when the settings do not say where it is.
  public func channel(
    to peer: String,
    interceptors: [any ClientInterceptor] = []
  ) throws(ConfigurationError) -> Channel {
    guard let text = settings.peers[peer] else {
      throw ConfigurationError(
        "setting peers.\(peer) is missing: set it to the address of the \(peer) service"
      )
    }
    let target: ChannelTarget
    do {
      target = try ChannelTarget(text)
    } catch {
      throw ConfigurationError("setting peers.\(peer): \(error)")
    }
    return channel(to: target, name: peer, interceptors: interceptors)
  }

  /// A channel to `target`, which metrics call `name`.
  func channel(
    to target: ChannelTarget,
    name: String,
    interceptors: [any ClientInterceptor] = []
  ) -> Channel {
    var configuration = ChannelConfiguration(loops: loops)
    configuration.network = network
    configuration.interceptors =
      [CallPropagation(identifiers, peer: name, tracer: tracer)] + interceptors
    configuration.observer = ChannelMetrics(metrics, target: name)
    configuration.logger = logger.with(["peer": .string(name)])
    if let tls { configuration.useTLS(tls) }
    return Channel(target, configuration)
  }
}
