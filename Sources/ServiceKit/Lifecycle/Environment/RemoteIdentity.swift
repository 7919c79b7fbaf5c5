internal import PeerContracts
public import RPCKit
public import StrictJSON

/// How a service other than AuthService knows who calls it: AuthService's keys and revocations,
/// fetched and followed.
public final class RemoteIdentity: Sendable {
  /// Which tokens are accepted, as settings say it.
  public struct Settings: Sendable {
    /// Their `iss`.
    public var issuer: String
    /// Their `aud`.
    public var audience: String

    /// Takes the settings out of `members`.
    public init(_ members: inout JSONMembers) throws(JSONDecodingError) {
      issuer = try members.optional("issuer")?.nonEmptyString() ?? "gatehouse"
      audience = try members.optional("audience")?.nonEmptyString() ?? "gatehouse"
    }
  }

  private let channel: Channel
  private let keys: KeySetSource
  private let revocations: RevocationFeed
  /// Believes the tokens of users.
  public let tokens: AccessTokenAuthenticator
  private let services: ServiceTokenVerifier?
  private let gateways: GatewayProof
  private let clock: any WallClock
  private let metrics: AuthenticationMetrics

  /// Makes an identity that knows nothing yet; `run` learns it.
  public init(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) {
    channel = try environment.authenticatedChannel(to: "auth")
    let loop = environment.loops.loops[0]
    let client = Auth_V1.KeysClient(channel)
    keys = KeySetSource(
      client,
      loop: loop,
      random: environment.random,
      logger: environment.logger
    )
    revocations = RevocationFeed(
      keys: client,
      sessions: Auth_V1.SessionsClient(channel),
      loop: loop,
      clock: environment.clock,
      random: environment.random,
      logger: environment.logger
    )
    RevocationMetrics.register(revocations, in: environment.metrics.registry)
    tokens = AccessTokenAuthenticator(
      verifier: AccessTokenVerifier(issuer: settings.issuer, audience: settings.audience),
      keys: keys,
      revocations: revocations,
      clock: environment.clock
    )
    services = try environment.serviceTokenVerifier()
    gateways = try environment.gatewayProof()
    clock = environment.clock
    metrics = AuthenticationMetrics(environment.metrics.registry)
  }

  /// Proven calls to AuthService, for what else the service wants to know; the service closes it.
  public var authChannel: Channel { channel }

  /// Lets callers in; `isOperator` is asked for methods of operators and support people.
  public func interceptor(
    isOperator: @escaping OperatorCheck
  ) -> AuthenticationInterceptor {
    AuthenticationInterceptor(
      tokens: tokens,
      services: services,
      isOperator: isOperator,
      gateways: gateways,
      clock: clock,
      metrics: metrics
    )
  }

  /// Has `body` called with each user who was signed out somewhere, as soon as it is heard of.
  public func onRevocation(_ body: @escaping @Sendable (_ userID: String) -> Void) {
    revocations.onRevocation(body)
  }

  /// Follows keys and revocations until the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.keys.run() }
      group.addTask { await self.revocations.run() }
      await group.waitForAll()
    }
  }

  /// Keys must have been there once.
  ///
  /// Revocations that are not heard of slow calls down, and stop none: that is no reason to send
  /// calls elsewhere.
  public var checks: [Readiness.Check] {
    [keys.readinessCheck]
  }
}
