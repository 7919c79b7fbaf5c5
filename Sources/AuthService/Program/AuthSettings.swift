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
  /// What authenticator apps show beside an account's address.
  public var totpIssuer = "Gatehouse"
  /// What operators prove before methods of theirs that need a step-up: `fresh`, `mfa`, `phr` or `phrh`.
  public var operatorStepUp = "fresh"
  /// How mail is sent.
  public var mail = MailSettings()
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
    mail = try members.optional("mail").map(MailSettings.init) ?? mail
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

/// The secrets of AuthService, read from a file that only it may read.
///
/// ```json
/// {"sealing_key": "…", "lookup_key": "…", "peppers": {"1": "…"}, "refresh_keys": {"1": "…"}}
/// ```
///
/// Each is 32 bytes in base 64 for URLs. A new pepper or refresh key is added with the next number;
/// old ones stay as long as something was made with them.
public struct AuthSecrets: Sendable {
  /// Seals signing keys in the store.
  let sealing: SealingKey
  /// Keys the counts of failed attempts, the requests that are remembered and what was deleted, so that the
  /// store has neither addresses of strangers nor digests of passwords.
  let lookup: HMACKey
  /// Applied after hashing a password.
  let peppers: Peppers
  /// Make refresh tokens.
  let refreshKeys: RefreshTokenKeys
  /// What was deleted and must not come back.
  let tombstones: Tombstones
  /// Makes pseudonyms of users who were deleted.
  private let pseudonyms: HMACKey

  /// Reads the file's contents; the error names what is wrong and never shows a secret.
  public init(json: [UInt8]) throws(JSONDecodingError) {
    let value: JSONValue
    do {
      value = try JSONReader.read(json, limits: JSONLimits(byteCountMax: 64 * 1024, depthMax: 4))
    } catch {
      throw JSONDecodingError(path: "", problem: "\(error)")
    }
    var members = try JSONField(value).members()
    let sealingField = try members.required("sealing_key")
    guard let sealing = SealingKey(try Self.secret(sealingField)) else {
      throw sealingField.error("must be 32 bytes")
    }
    self.sealing = sealing
    lookup = HMACKey(try Self.secret(try members.required("lookup_key")))
    tombstones = Tombstones(secret: lookup)
    pseudonyms = HMACKey(lookup.code(of: Array("key of pseudonyms".utf8)))
    let pepperField = try members.required("peppers")
    let peppers = Peppers(try Self.versions(pepperField) { Int($0) })
    guard let peppers else { throw pepperField.error("must have at least one") }
    self.peppers = peppers
    let refreshField = try members.required("refresh_keys")
    let refreshKeys = RefreshTokenKeys(try Self.versions(refreshField) { UInt8($0) })
    guard let refreshKeys else { throw refreshField.error("must have at least one") }
    self.refreshKeys = refreshKeys
    try members.finish()
  }

  /// What names a user who was deleted.
  func pseudonym(of userID: String) -> String { Pseudonym.of(userID, key: pseudonyms) }

  /// A file with new secrets, for a new installation.
  public static func generate(_ random: any RandomSource) -> String {
    let fresh = { JSONValue.string(Base64URL.encode(random.bytes(32))) }
    let value: JSONValue = [
      "sealing_key": fresh(), "lookup_key": fresh(), "peppers": ["1": fresh()],
      "refresh_keys": ["1": fresh()],
    ]
    return value.indentedText + "\n"
  }

  private static func secret(_ field: JSONField) throws(JSONDecodingError) -> [UInt8] {
    guard let bytes = Base64URL.decode(try field.string()), bytes.count == 32 else {
      throw field.error("must be 32 bytes in URL-safe base64")
    }
    return bytes
  }

  private static func versions<Version: Hashable>(
    _ field: JSONField,
    _ version: (String) -> Version?
  ) throws(JSONDecodingError) -> [Version: [UInt8]] {
    var members = try field.members()
    var versions: [Version: [UInt8]] = [:]
    for (name, field) in members.rest() {
      guard let version = version(name), versions[version] == nil else {
        throw field.error("version numbers must be valid and distinct")
      }
      versions[version] = try secret(field)
    }
    return versions
  }
}
