public import ServiceKit

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
  /// The names of deleted things that must not come back.
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

  /// The pseudonym of a user who was deleted.
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
