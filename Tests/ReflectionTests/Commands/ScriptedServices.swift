import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit

/// AuthService and TenancyService as far as the commands need them; they note what they are sent.
final class ScriptedServices: Sendable {
  private let seen = Lock<[String]>([])
  private let seenDevices = Lock<[String]>([])
  private let seenAttempts = Lock<[String]>([])
  /// How long access tokens live, in milliseconds.
  let tokenLifetime: Int64

  /// What a sign-in is answered to be known by; empty for nothing.
  let deviceToken: String
  /// How many refreshes are lost before one is answered.
  let lostRefreshCount: Int

  init(tokenLifetime: Int64 = 600_000, deviceToken: String = "", lostRefreshCount: Int = 0) {
    self.tokenLifetime = tokenLifetime
    self.deviceToken = deviceToken
    self.lostRefreshCount = lostRefreshCount
  }

  /// Each call: its method, what of its request matters, and its token.
  var calls: [String] { seen.withLock { $0 } }

  /// The device token of each sign-in, empty where there was none.
  var deviceTokens: [String] { seenDevices.withLock { $0 } }

  /// The attempt of each refresh.
  var attempts: [String] { seenAttempts.withLock { $0 } }

  private func note(_ text: String, _ call: CallContext) {
    let token = call.metadata["authorization"] ?? "no token"
    seen.withLock { $0.append("\(call.method.method) \(text), \(token)") }
  }

  private func tokens(_ number: Int, lifetime: Int64) -> Auth_V1.Tokens {
    Auth_V1.Tokens(
      accessToken: "access-\(number)",
      accessTokenExpiresAt: .init(milliseconds: CommandStage.now + lifetime),
      refreshToken: "refresh-\(number)",
      sessionId: "ses_1"
    )
  }

  var definitions: [ServiceDefinition] {
    [authentication, users, portfolios, permissions] + buildings
  }

  private var authentication: ServiceDefinition {
    ServiceDefinition(
      name: "auth.v1.Authentication",
      methods: [
        .unary(Auth_V1.AuthenticationMethods.signIn) {
          (request: Auth_V1.SignInRequest, call) in
          self.note(request.email, call)
          self.seenDevices.withLock { $0.append(request.deviceToken) }
          guard request.password == "right password" else {
            throw RPCError(
              .unauthenticated,
              reason: "INVALID_CREDENTIALS",
              domain: "gatehouse.auth",
              message: "wrong address or password"
            )
          }
          return Auth_V1.SignInResponse(
            tokens: self.tokens(1, lifetime: self.tokenLifetime),
            user: Auth_V1.User(id: "usr_1", email: request.email),
            deviceToken: self.deviceToken
          )
        },
        .unary(Auth_V1.AuthenticationMethods.refresh) {
          (request: Auth_V1.RefreshRequest, call) in
          self.note(request.refreshToken, call)
          let count = self.seenAttempts.withLock { attempts in
            attempts.append(request.attempt)
            return attempts.count
          }
          guard count > self.lostRefreshCount else {
            throw RPCError(.internal, "the answer is lost")
          }
          return self.tokens(2, lifetime: 600_000)
        },
        .unary(Auth_V1.AuthenticationMethods.signOut) {
          (request: Auth_V1.SignOutRequest, call) in
          self.note("", call)
          return Auth_V1.SignOutResponse()
        },
      ]
    )
  }

  private var users: ServiceDefinition {
    ServiceDefinition(
      name: "auth.v1.Users",
      methods: [
        .unary(Auth_V1.UsersMethods.getMe) { (request: Auth_V1.GetMeRequest, call) in
          self.note("", call)
          return Auth_V1.User(id: "usr_1", plan: "free")
        }
      ]
    )
  }

  private var portfolios: ServiceDefinition {
    ServiceDefinition(
      name: "tenancy.v1.Portfolios",
      methods: [
        .unary(Tenancy_V1.PortfoliosMethods.create) {
          (request: Tenancy_V1.CreatePortfolioRequest, call) in
          self.note(request.name, call)
          return Tenancy_V1.Portfolio(id: "prt_1", name: request.name)
        },
        .unary(Tenancy_V1.PortfoliosMethods.get) {
          (request: Tenancy_V1.GetPortfolioRequest, call) -> Tenancy_V1.Portfolio in
          var error = RPCError(
            .notFound,
            reason: "PORTFOLIO_NOT_FOUND",
            domain: "gatehouse.tenancy",
            message: "no such portfolio\u{1B}[2J",
            metadata: ["portfolio_id": request.portfolioId],
            retryAfter: .milliseconds(1500)
          )
          let violation = FieldViolation(field: "portfolio_id", description: "is unknown")
          error.details.append(.badRequest([violation]))
          throw error
        },
      ]
    )
  }

  /// What a portfolio has in it; each is told where it was put.
  private var buildings: [ServiceDefinition] {
    [
      ServiceDefinition(
        name: "tenancy.v1.Properties",
        methods: [
          .unary(Tenancy_V1.PropertiesMethods.create) {
            (request: Tenancy_V1.CreatePropertyRequest, call) in
            self.note("\(request.name) in \(request.portfolioId)", call)
            return Tenancy_V1.Property(id: "prp_1", name: request.name)
          }
        ]
      ),
      ServiceDefinition(
        name: "tenancy.v1.Units",
        methods: [
          .unary(Tenancy_V1.UnitsMethods.create) {
            (request: Tenancy_V1.CreateUnitRequest, call) in
            let shared = request.commonAreaDeviceIds.joined()
            self.note("\(request.name) in \(request.propertyId) with \(shared)", call)
            return Tenancy_V1.Unit(id: "unt_\(request.name.suffix(1))", name: request.name)
          }
        ]
      ),
      ServiceDefinition(
        name: "tenancy.v1.Devices",
        methods: [
          .unary(Tenancy_V1.DevicesMethods.register) {
            (request: Tenancy_V1.RegisterDeviceRequest, call) in
            self.note("\(request.name) in \(request.propertyId) \(request.unitId)", call)
            return Tenancy_V1.Device(id: "dev_\(self.calls.count)", name: request.name)
          }
        ]
      ),
    ]
  }

  /// Tells of two changes, and then waits for the caller to go.
  private var permissions: ServiceDefinition {
    ServiceDefinition(
      name: "tenancy.v1.Permissions",
      methods: [
        .serverStreaming(Tenancy_V1.PermissionsMethods.watchChanges) {
          (request: Tenancy_V1.WatchChangesRequest, call, writer) in
          try await writer.write(Tenancy_V1.Change(revision: "1", subjectId: "usr_1"))
          try await writer.write(Tenancy_V1.Change(revision: "2", entityId: "unt_1"))
          guard request.afterRevision != "end" else { return }
          let (never, continuation) = AsyncStream.makeStream(of: Void.self)
          for await _ in never {}
          continuation.finish()
        }
      ]
    )
  }
}
