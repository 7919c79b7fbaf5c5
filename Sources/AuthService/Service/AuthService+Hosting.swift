internal import Contracts
internal import Glibc
internal import RPCKit
public import ServiceKit

extension AuthService: HostedService {
  /// Name and ports.
  public static var identity: ServiceIdentity {
    ServiceIdentity(
      name: "auth",
      summary: "Answers who is calling: accounts, sessions, tokens.",
      port: 7401,
      adminPort: 7411
    )
  }

  /// Takes the service's own settings out of the members.
  public static func settings(
    _ members: inout JSONMembers
  ) throws(JSONDecodingError) -> AuthSettings {
    try AuthSettings(&members)
  }

  /// Opens the service with what the host gives it; throws what a person can act on.
  public static func open(
    _ settings: AuthSettings,
    in environment: ServiceEnvironment
  ) async throws -> AuthService {
    let secrets = try secrets(settings)
    let tenancy = try channel(to: "tenancy", in: environment)
    let entitlement = try channel(to: "entitlement", in: environment)
    do {
      let dependencies = Dependencies(
        databasePath: environment.settings.database,
        tenancy: tenancy,
        entitlement: entitlement,
        services: try environment.settings.serviceKeys.verifier(
          name: identity.name,
          in: environment
        ),
        clock: environment.clock,
        random: environment.random,
        loop: environment.loops.next(),
        logger: environment.logger,
        metrics: environment.metrics.registry
      )
      return try await open(settings, secrets: secrets, dependencies)
    } catch {
      await tenancy.close()
      await entitlement.close()
      throw error
    }
  }

  /// Nothing of the service itself changes while it serves.
  public func reload() async throws {}

  /// What operators can have done: make secrets, and name the first operator of the suite.
  public static var commands: [OperatorCommand<AuthService>] {
    [
      OperatorCommand(
        name: "make-secrets",
        arguments: "FILE",
        summary: "writes new secrets to a file that must not be there yet"
      ) { _, environment, arguments in
        guard arguments.count == 1 else { throw ConfigurationError("make-secrets needs a FILE") }
        try FileBytes.createSecret(AuthSecrets.generate(environment.random), at: arguments[0])
        return "wrote \(arguments[0]); keep a copy of it, as nothing in the store opens without it"
      },
      OperatorCommand(
        name: "grant-super-admin",
        arguments: "EMAIL",
        summary: "makes the user with this address an operator of everything"
      ) { _, environment, arguments in
        guard arguments.count == 1 else {
          throw ConfigurationError("grant-super-admin needs an EMAIL")
        }
        let id = try await grantSuperAdmin(email: arguments[0], in: environment)
        return "\(arguments[0]) (\(id)) is an operator of everything now"
      },
    ]
  }

  /// As the method of the same name, for a process beside the one that serves and has the store open.
  private static func grantSuperAdmin(
    email: String,
    in environment: ServiceEnvironment
  ) async throws -> String {
    let id = try await userID(of: EmailAddress(email), in: environment.settings.database)
    guard let id else { throw AuthError.userNotFound }
    let tenancy = try channel(to: "tenancy", in: environment)
    do {
      _ = try await Tenancy_V1.AssociationsClient(tenancy).grantSuperAdmin(
        .init(userId: id),
        timeout: .seconds(10)
      )
    } catch {
      await tenancy.close()
      throw error
    }
    await tenancy.close()
    return id
  }

  /// Looks a user up in a copy of the store, as the store itself belongs to the serving process.
  private static func userID(of email: EmailAddress, in path: String) async throws -> String? {
    let copy = "\(path).copy-\(getpid())"
    try await Database.backUp(path, to: copy)
    defer { for suffix in ["", "-wal", "-shm", "-lock"] { _ = unsafe unlink(copy + suffix) } }
    let configuration = DatabaseConfiguration(path: copy, applicationID: AuthSchema.applicationID)
    let database = try await Database.open(configuration, migrations: AuthSchema.migrations)
    let id: Result<String?, any Error>
    do {
      id = .success(
        try await database.read { tx in try UserTable.findForSignIn(email, in: tx)?.user.id }
      )
    } catch {
      id = .failure(error)
    }
    await database.close()
    return try id.get()
  }

  private static func channel(
    to peer: String,
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) -> Channel {
    let issuer = try environment.settings.serviceKeys.issuer(name: identity.name, in: environment)
    let credentials = issuer.map { ServiceCredentials($0, audience: peer) }
    return try environment.channel(to: peer, interceptors: credentials.map { [$0] } ?? [])
  }

  private static func secrets(_ settings: AuthSettings) throws(ConfigurationError) -> AuthSecrets {
    do {
      let bytes = try FileBytes.read(settings.secrets, byteCountMax: 64 * 1024)
      return try AuthSecrets(json: bytes)
    } catch {
      throw ConfigurationError(
        "setting secrets: \(settings.secrets): \(error); make-secrets FILE makes new ones"
      )
    }
  }
}
