import AuthContracts
import PeerContracts
import Glibc
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// A folder of its own under the system's temporary one.
final class StoreFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/gatehouse-auth-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw SyscallError("mkdtemp", errno) }
    path = unsafe String(cString: made)
  }

  /// Where mails are written.
  var mail: String { "\(path)/mail" }

  deinit {
    for name in (try? FileBytes.names(inFolder: mail, countMax: 10_000)) ?? [] {
      _ = unsafe unlink("\(mail)/\(name)")
    }
    _ = unsafe rmdir(mail)
    for name in [
      "apple.p8", "auth.db", "auth.db-wal", "auth.db-shm", "auth.db-lock", "auth.db.lock", "socket",
    ] {
      _ = unsafe unlink("\(path)/\(name)")
    }
    _ = unsafe rmdir(path)
  }
}

/// AuthService on a real store behind a real server, its peers, and a client.
struct AuthStage {
  let service: AuthService
  let clock: ManualClock
  let peers: ScriptedPeers
  let registry: MetricRegistry
  let sink: CollectingSink
  let channel: Channel
  /// A channel with the proof of being TenancyService on it.
  let tenancyChannel: Channel
  /// Long timers of the service, where they are held.
  let timers: HeldTimers?
  let loops: EventLoopGroup

  var authentication: Auth_V1.AuthenticationClient { .init(channel) }
  var sessions: Auth_V1.SessionsClient { .init(channel) }
  var users: Auth_V1.UsersClient { .init(channel) }
  var keys: Auth_V1.KeysClient { .init(channel) }
  var accounts: Auth_V1.AccountsClient { .init(channel) }
  var stepUp: Auth_V1.StepUpClient { .init(channel) }
  var children: Auth_V1.ChildrenClient { .init(channel) }
  /// As TenancyService calls it.
  var familyEnds: Auth_V1.FamilyEndsClient { .init(tenancyChannel) }
  var secondFactors: Auth_V1.SecondFactorsClient { .init(channel) }
  var identities: Auth_V1.IdentitiesClient { .init(channel) }

  static let password = "correct horse battery staple"
  static let secrets = AuthSecrets.generate(SystemRandomSource())

  /// What outlives one run of the service: its file, clock and secrets.
  struct Ground {
    let folder: StoreFolder
    let clock: ManualClock
    let peers = ScriptedPeers()
    var settings = AuthSettings()
    /// Bytes of log that a user may leave; nil for the default.
    var logBudget: Int64?
    /// Whether events are kept for other systems.
    var keepsEvents = false
    var secrets: String
    /// Whether clients come through a Unix socket in the folder, and not over TCP.
    var isOnUnixSocket = false
    /// Where the keys of identity providers are; nil for where the settings say.
    var keySetOrigin: (@Sendable (IdentityProvider) -> any KeySetOrigin)?
    /// Who answers for Apple's endpoints; nil for Apple.
    var appleTokens: AppleTokens.Send?
    /// Run inside those of the service.
    var interceptors: [any ServerInterceptor] = []
    /// Whether long timers of the service wait for `AuthStage.timers`.
    var holdsTimers = false

    init(clock: ManualClock = ManualClock()) throws {
      folder = try StoreFolder()
      self.clock = clock
      settings.passwordCost = PasswordCost(memory: 8, passes: 1)
      settings.hashThreadCount = 2
      settings.heartbeatInterval = .milliseconds(100)
      secrets = AuthStage.secrets
      settings.mail.spool = folder.mail
    }
  }

  /// Serves on `ground` while `body` runs.
  static func run<Result: Sendable>(
    on ground: Ground? = nil,
    _ body: (AuthStage) async throws -> Result
  ) async throws -> Result {
    let ground = try ground ?? Ground()
    let loops = try EventLoopGroup.epoll(count: 2)
    defer { loops.stop() }
    let peerServer = Server(local, services: ground.peers.services, on: loops)
    return try await peerServer.serving { peerServer in
      try await withChannel(target(peerServer), .init(loops: loops)) { peerChannel in
        try await serve(ground, peerChannel, loops, body)
      }
    }
  }

  /// Runs `body` against two services that serve one store on a server.
  static func runReplicas(
    on ground: Ground? = nil,
    _ body: ([AuthStage]) async throws -> Void
  ) async throws {
    let ground = try ground ?? Ground()
    try await run(on: ground) { first in
      try await run(on: ground) { second in try await body([first, second]) }
    }
  }

  private static let local = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])

  private static func target(_ server: Server) throws -> String {
    "tcp://\(try #require(server.addresses.first))"
  }

  private static func configuration(_ ground: Ground) -> ServerConfiguration {
    guard ground.isOnUnixSocket else { return local }
    return ServerConfiguration(endpoints: [.init(.unix(path: "\(ground.folder.path)/socket"))])
  }

  private static func target(_ server: Server, _ ground: Ground) throws -> String {
    ground.isOnUnixSocket ? "unix://\(ground.folder.path)/socket" : try target(server)
  }

  private static func serve<Result: Sendable>(
    _ ground: Ground,
    _ peerChannel: Channel,
    _ loops: EventLoopGroup,
    _ body: (AuthStage) async throws -> Result
  ) async throws -> Result {
    let (registry, sink) = (MetricRegistry(), CollectingSink())
    let tenancyKey = SigningKey.generate()
    let timers = ground.holdsTimers ? HeldTimers(loops.next()) : nil
    var dependencies = AuthService.Dependencies(
      store: .file(ground.folder.path + "/auth.db"),
      tenancy: peerChannel,
      entitlement: peerChannel,
      services: ServiceTokenVerifier(
        audience: "auth",
        keys: ["tenancy": KeySet([tenancyKey.verificationKey])],
        clock: ground.clock
      ),
      clock: ground.clock,
      loop: timers ?? loops.next(),
      uptime: { [clock = ground.clock] in clock.uptime },
      logger: Logger(label: "auth", level: .trace, sink: sink, clock: ground.clock),
      metrics: registry
    )
    if let budget = ground.logBudget { dependencies.database.logBudgetByteCount = budget }
    dependencies.database.eventRules = ground.keepsEvents ? AuthEvents.rules : nil
    dependencies.keySetOrigin = ground.keySetOrigin
    dependencies.appleTokens = ground.appleTokens
    let secrets = try AuthSecrets(json: Array(ground.secrets.utf8))
    let service = try await AuthService.open(ground.settings, secrets: secrets, dependencies)
    let server = Server(
      configuration(ground),
      services: service.services,
      interceptors: service.interceptors + ground.interceptors,
      on: loops
    )
    do {
      let result = try await server.serving { server in
        var configuration = ChannelConfiguration(loops: loops)
        let issuer = ServiceTokenIssuer(
          name: "tenancy",
          key: tenancyKey,
          clock: ground.clock,
          random: SystemRandomSource()
        )
        return try await withChannel(target(server, ground), configuration) { channel in
          configuration.interceptors = [ServiceCredentials(issuer, audience: "auth")]
          return try await withChannel(target(server, ground), configuration) { tenancyChannel in
            try await body(
              AuthStage(
                service: service,
                clock: ground.clock,
                peers: ground.peers,
                registry: registry,
                sink: sink,
                channel: channel,
                tenancyChannel: tenancyChannel,
                timers: timers,
                loops: loops
              )
            )
          }
        }
      }
      await service.close()
      return result
    } catch {
      await service.close()
      throw error
    }
  }

  // MARK: - Conveniences

  func signUp(
    _ email: String = "ada@example.org",
    password: String = AuthStage.password,
    key: String = ""
  ) async throws -> Auth_V1.SignInResponse {
    try await authentication.signUp(
      .init(
        email: email,
        password: password,
        displayName: "Ada",
        device: .init(name: "Ada's phone"),
        idempotencyKey: key
      )
    )
  }

  func signIn(
    _ email: String = "ada@example.org",
    password: String = AuthStage.password
  ) async throws -> Auth_V1.SignInResponse {
    try await authentication.signIn(.init(email: email, password: password))
  }

  /// Changes a password.
  func changePassword(
    _ answer: Auth_V1.SignInResponse,
    from old: String = AuthStage.password,
    to new: String
  ) async throws {
    _ = try await users.changePassword(
      .init(currentPassword: old, newPassword: new),
      options: with(answer)
    )
  }

  /// Options with an access token.
  func with(_ answer: Auth_V1.SignInResponse) -> CallOptions {
    answer.tokens.map { with($0) } ?? CallOptions()
  }

  /// Options with an access token.
  func with(_ tokens: Auth_V1.Tokens) -> CallOptions {
    CallOptions(metadata: ["authorization": "Bearer \(tokens.accessToken)"])
  }

  /// The value of a series in the metrics.
  func metric(_ series: String) -> Int {
    let text = String(decoding: registry.render(), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
    return line.flatMap { Int($0.dropFirst(series.count + 1)) } ?? 0
  }

  /// Works off what is due of deletions, with the last mails to their users.
  func workOffDeletions() async {
    await service.deletions.workOff()
    await service.core.outbox.drain(service.core.store)
    clock.advance(1000)
    await service.deletions.workOff()
  }

  /// Waits until `condition` holds, which another task brings about.
  func eventually(_ condition: () async -> Bool) async -> Bool {
    await loops.loops[0].eventually(condition)
  }
}

extension HashPool {
  /// Takes all places of a lane, each for somebody else.
  func fill(_ lane: HashLane) -> [Permit] {
    var permits: [Permit] = []
    while let permit = try? reserve(lane, for: HashShare(user: "filler \(permits.count)")) {
      permits.append(permit)
    }
    return permits
  }
}

/// All places of a lane, until they are freed.
final class HeldPlaces: Sendable {
  private let permits: Lock<[HashPool.Permit]>

  init(of pool: HashPool, _ lane: HashLane) { permits = Lock(pool.fill(lane)) }

  func free() { permits.withLock { $0 = [] } }
}

/// What a call ended with: `UNAUTHENTICATED INVALID_CREDENTIALS`; `OK` when it succeeded.
func outcome(_ body: () async throws -> Void) async -> String {
  do {
    try await body()
    return "OK"
  } catch let error as RPCError {
    for detail in error.details where detail.typeURL.hasSuffix("google.rpc.ErrorInfo") {
      let info = try? Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
      if let info { return "\(error.code) \(info.reason)" }
    }
    return "\(error.code)"
  } catch {
    return "\(error)"
  }
}
