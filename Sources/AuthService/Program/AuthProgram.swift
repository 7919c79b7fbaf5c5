internal import AuthContracts
internal import PeerContracts
internal import RPCKit
public import ServiceKit

/// AuthService as a program hosts it.
public enum AuthProgram: HostedService {
  /// See `HostedService.identity`.
  public static let identity = ServiceIdentity(
    name: "auth",
    summary: "AuthService of Gatehouse: who is calling.",
    port: 7401,
    adminPort: 7411
  )

  /// The program's commands besides serving.
  public static let commands = [
    makeSecrets, grantSuperAdmin, revokeSuperAdmin, listSuperAdmins, grantSupport, revokeSupport,
    listSupport, writeMailTemplates,
    listSharedMailboxes,
  ]

  /// The command that shows the mails that are built in, for changing them.
  public static let writeMailTemplates = OperatorCommand<AuthProgram>(
    name: "write-mail-templates",
    arguments: "FOLDER",
    summary: "Write the built-in mail templates to FOLDER, which must not exist yet."
  ) { _, _, arguments in
    let folder = arguments[0]
    guard !FileBytes.exists(folder) else {
      throw FileError("\(folder) exists already; name another folder")
    }
    try FileBytes.createDirectory(folder)
    for (language, mails) in BuiltInMails.all {
      try FileBytes.createDirectory("\(folder)/\(language)")
      for (kind, draft) in mails {
        let path = "\(folder)/\(language)/\(kind.rawValue)"
        try FileBytes.write(draft.text, to: "\(path).txt")
        try FileBytes.write(draft.html, to: "\(path).html")
      }
    }
    return "wrote \(folder); change the files and set mail.templates to the folder"
  }

  /// The command that makes a user an operator of everything.
  ///
  /// Talks to the running services as AuthService itself, which only its private key can prove.
  public static let grantSuperAdmin = OperatorCommand<AuthProgram>(
    name: "grant-super-admin",
    arguments: "USER",
    summary:
      "Make a user an operator, by its identifier or its verified address; the services must be running."
  ) { _, environment, arguments in
    try await OperatorRole.withUser(
      arguments[0],
      needsProof: true,
      in: environment
    ) { id, associations in
      _ = try await associations.grantSuperAdmin(.init(userId: id), timeout: .seconds(10))
      return "\(id) is super_admin now"
    }
  }

  /// The command that takes that away again.
  public static let revokeSuperAdmin = OperatorCommand<AuthProgram>(
    name: "revoke-super-admin",
    arguments: "USER [force]",
    summary:
      "Take that right away from the user; removing the last operator needs the word force."
  ) { _, environment, arguments in
    guard arguments.count == 1 || arguments[1] == "force" else {
      throw ConfigurationError("\"\(arguments[1])\" is not the word force")
    }
    return try await OperatorRole.withUser(
      arguments[0],
      needsProof: false,
      in: environment
    ) { id, associations in
      let response = try await associations.revokeSuperAdmin(
        .init(userId: id, force: arguments.count == 2),
        timeout: .seconds(10)
      )
      return response.removed > 0
        ? "\(id) is no longer super_admin" : "\(id) was not super_admin; nothing changed"
    }
  }

  /// The command that makes the secrets of a new installation.
  public static let makeSecrets = OperatorCommand<AuthProgram>(
    name: "make-secrets",
    arguments: "FILE",
    summary: "Write new secrets to FILE, which must not exist yet."
  ) { _, environment, arguments in
    guard !FileBytes.exists(arguments[0]) else {
      throw FileError(
        "\(arguments[0]) exists already and is not overwritten, because a store cannot be read without its "
          + "secrets; name another file"
      )
    }
    // One that appears in the meantime is not overwritten either.
    try FileBytes.createSecret(AuthSecrets.generate(environment.random), at: arguments[0])
    return "wrote \(arguments[0]); keep a copy, because the store cannot be used without it"
  }

  /// See `HostedService.store`.
  public static let store = StoreDefinition(
    applicationID: AuthSchema.applicationID,
    migrations: AuthSchema.migrations
  )

  /// See `HostedService.settings`.
  public static func settings(
    _ members: inout JSONMembers
  ) throws(JSONDecodingError) -> AuthSettings {
    try AuthSettings(&members)
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: AuthSettings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.file("secrets", settings.secrets) { _ = try readSecrets($0) }
    check.attempt("mail.templates") { _ = try settings.mail.readTemplates() }
    for provider in settings.providers {
      if let authorization = provider.authorization {
        let setting = "identity_providers.\(provider.name).authorization"
        check.attempt("\(setting).key_file") { _ = try authorization.readKey() }
        checkAuthority(authorization.address, setting, &check)
      }
      let setting = "identity_providers.\(provider.name).keys"
      switch provider.keys {
      case .file(let path):
        check.file("\(setting).file", path) { path in
          let json = try FileBytes.read(path, byteCountMax: ProviderKeySet.byteCountMax)
          do {
            _ = try ProviderKeySet(json: json)
          } catch {
            throw ConfigurationError("\(path): \(error)")
          }
        }
      case .url(let address): checkAuthority(address, setting, &check)
      }
    }
    if settings.mail.transport == .command {
      check.attempt("mail.command") {
        let program = settings.mail.command[0]
        guard FileBytes.exists(program) else {
          throw ConfigurationError("\(program) does not exist; install it or name another program")
        }
      }
    }
    if settings.mail.transport == .smtp {
      if let path = settings.mail.smtp.passwordFile {
        check.file("mail.smtp_password_file", path) { _ in
          _ = try settings.mail.smtp.readCredentials()
        }
      }
      if let path = settings.mail.smtp.authorities {
        check.file("mail.smtp_ca_file", path) { _ = try FileBytes.read($0, byteCountMax: 1 << 20) }
      }
    }
    check.peers(["tenancy", "entitlement"], common)
    check.callers(["tenancy", "entitlement"], common)
    check.trustedProxies(settings.sourceLimits.rules, common)
  }

  private static func checkAuthority(
    _ address: KeySetAddress,
    _ setting: String,
    _ check: inout ConfigurationCheck
  ) {
    guard let authority = address.authorityFile else { return }
    check.attempt("\(setting).ca_file") { _ = try FileBytes.read(authority, byteCountMax: 1 << 20) }
  }

  /// Throws with the path.
  private static func readSecrets(_ path: String) throws -> AuthSecrets {
    let bytes = try FileBytes.read(path, byteCountMax: 64 << 10)
    do {
      return try AuthSecrets(json: bytes)
    } catch {
      throw ConfigurationError("\(path): \(error)")
    }
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: AuthSettings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings> {
    let secrets: AuthSecrets
    do {
      secrets = try readSecrets(settings.secrets)
    } catch {
      throw ConfigurationError(
        "setting secrets: \(error); \(adviceOnSecrets(environment.settings.store))"
      )
    }
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    let entitlement = try environment.authenticatedChannel(to: "entitlement")
    var dependencies = AuthService.Dependencies(
      store: environment.settings.store,
      tenancy: tenancy,
      entitlement: entitlement,
      services: try environment.serviceTokenVerifier(),
      clock: environment.clock,
      random: environment.random,
      loop: environment.loops.loops[0],
      logger: environment.logger,
      metrics: environment.metrics.registry
    )
    dependencies.database.auditLifetime = environment.settings.auditLifetime
    dependencies.database.eventRules = environment.settings.keepsEvents ? AuthEvents.rules : nil
    dependencies.database.logBudgetByteCount = environment.settings.logBudgetByteCount
    dependencies.gateways = try environment.gatewayProof()
    let service = try await AuthService.open(settings, secrets: secrets, dependencies)
    return OpenService(
      services: service.services,
      documents: KeyDocuments.all(of: service.core.ring, issuer: settings.issuer)
        + (settings.console.map(ConsoleDocuments.all) ?? []),
      interceptors: service.interceptors,
      work: [service.run],
      readiness: service.readiness,
      // Asks again who is an operator; nothing of its own can change while it serves.
      reload: { _ in service.core.permissions.forgetAll() },
      peers: [tenancy, entitlement],
      closeStore: service.close
    )
  }

  /// Advice for a start without secrets: new ones would make what is in a store useless.
  static func adviceOnSecrets(_ store: StorePlace) -> String {
    let path = store.path
    guard store.server != nil || FileBytes.exists(path) || FileBytes.exists("\(path).lock") else {
      return "create the file with make-secrets FILE"
    }
    let restore =
      "restore the file that belongs to the store \(path), which cannot be read with other secrets"
    return store.server == nil ? restore : "\(restore); for a new store, make-secrets FILE"
  }
}
