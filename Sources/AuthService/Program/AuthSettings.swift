public import ServiceKit

/// Settings of AuthService besides those that every service has.
public struct AuthSettings: Sendable {
  /// The `iss` of access tokens, which every service compares with its own setting.
  public var issuer = "gatehouse"
  /// Their `aud`.
  public var audience = "gatehouse"
  /// The file with the secrets; see `AuthSecrets`.
  public var secrets = "auth.secrets.json"
  /// How much work a new password hash is.
  public var passwordCost = PasswordCost.standard
  /// Threads that hash passwords; nil for as many as there are cores.
  public var hashThreadCount: Int?
  /// How long access tokens live.
  public var accessTokenLifetime = AccessTokenLifetime.standard
  /// How long sessions last, and how many a user may have.
  public var sessions = SessionLifetimes.standard
  /// How often one source may try.
  public var sourceLimits = SourceLimits()
  /// Which PINs are accepted.
  public var pin = PinPolicy()
  /// The issuer that authenticator apps show beside an account's address.
  public var totpIssuer = "Gatehouse"
  /// The step-up for operators' methods that need one: `fresh`, `mfa`, `phr` or `phrh`.
  public var operatorStepUp = "fresh"
  /// How mail is sent.
  public var mail = MailSettings()
  /// The web page for people; nil for none.
  public var console: ConsoleSettings?
  /// For whom passkeys are taken.
  public var passkeys = PasskeySettings()
  /// With whose identities users may sign in.
  public var providers: [IdentityProvider] = []
  /// How accounts are deleted.
  public var deletion = DeletionSettings()
  /// When signing keys come and go.
  public var rotation = SigningKeyRotation.standard
  /// How often a stream of revocations says something.
  public var heartbeatInterval = Duration.seconds(3)

  /// The defaults.
  public init() {}

  /// Those that several features use.
  var core: CoreSettings {
    CoreSettings(
      issuer: issuer,
      audience: audience,
      accessTokenLifetime: accessTokenLifetime,
      sessions: sessions,
      sourceLimits: sourceLimits
    )
  }

  /// Takes the service's own settings out of `members`; what is not there keeps its default.
  public init(_ members: inout JSONMembers) throws(JSONDecodingError) {
    issuer = try members.optional("issuer")?.nonEmptyString() ?? issuer
    audience = try members.optional("audience")?.nonEmptyString() ?? audience
    secrets = try members.optional("secrets")?.string() ?? secrets
    if let field = members.optional("password_hash") {
      var members = try field.members()
      let memory = 8...Int64(PasswordCost.memoryRange.upperBound)
      passwordCost.memory = Int(try members.required("memory_kib").integer(in: memory))
      passwordCost.passes = Int(try members.required("passes").integer(in: 1...10))
      try members.finish()
    }
    hashThreadCount = try members.optional("hash_threads").map { field throws(JSONDecodingError) in
      Int(try field.integer(in: 1...256))
    }
    if let field = members.optional("access_token_seconds") {
      accessTokenLifetime = AccessTokenLifetime(longest: try field.integer(in: 10...900) * 1000)
    }
    if let field = members.optional("sessions") {
      var members = try field.members()
      let day: Int64 = 86_400_000
      if let absolute = members.optional("absolute_days") {
        sessions.absolute = try absolute.integer(in: 1...3650) * day
      }
      sessions.idle = min(sessions.idle, sessions.absolute)
      if let idle = members.optional("idle_days") {
        sessions.idle = try idle.integer(in: 1...3650) * day
        guard sessions.idle <= sessions.absolute else {
          throw idle.error("is more than absolute_days (\(sessions.absolute / day))")
        }
      }
      if let count = members.optional("per_user") {
        sessions.countMax = Int(try count.integer(in: 1...100))
      }
      try members.finish()
    }
    sourceLimits = try members.optional("source_limits").map(SourceLimits.init) ?? sourceLimits
    console = try members.optional("console").map(ConsoleSettings.init)
    if let link = console?.link { mail.link = link }
    if let field = members.optional("mail") { mail = try MailSettings(field, link: mail.link) }
    if let field = members.optional("pin_digits") {
      pin.digitCount = Int(try field.integer(in: 4...6))
    }
    if let field = members.optional("totp_issuer") {
      totpIssuer = try field.nonEmptyString()
      guard totpIssuer.utf8.count <= 64 else { throw field.error("must have at most 64 bytes") }
    }
    if let field = members.optional("operators") {
      var members = try field.members()
      if let stepUp = members.optional("step_up") {
        operatorStepUp = try stepUp.string()
        guard ["fresh", "mfa", "phr", "phrh"].contains(operatorStepUp) else {
          throw stepUp.error("must be fresh, mfa, phr or phrh")
        }
      }
      try members.finish()
    }
    passkeys = try members.optional("passkeys").map(PasskeySettings.init) ?? passkeys
    providers = try members.optional("identity_providers").map(IdentityProvider.all) ?? providers
    deletion = try members.optional("deletion").map(DeletionSettings.init) ?? deletion
    if let field = members.optional("signing_key_days") {
      rotation.period = try field.integer(in: 1...3650) * 86_400_000
    }
  }
}
