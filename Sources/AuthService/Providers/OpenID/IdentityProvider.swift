internal import ServiceKit

/// An identity provider that users may sign in with, as settings describe it (OpenID Connect Core 1.0).
///
/// ```json
/// {"apple": {"client_ids": ["com.example.app"]},
///  "google": {"client_ids": ["1234.apps.googleusercontent.com"]},
///  "work": {"issuers": ["https://login.example.org"], "client_ids": ["gatehouse"],
///           "keys": {"file": "work-keys.json"}}}
/// ```
///
/// Apple and Google have their issuers, keys and peculiarities built in under these names.
public struct IdentityProvider: Sendable {
  /// Where the keys are that a provider signs with.
  public enum KeyLocation: Hashable, Sendable {
    /// A key set in a file, read again when it changes.
    case file(String)
    /// A key set at an https URL.
    case url(KeySetAddress)
  }

  /// How the nonce of a token follows from the one that was given out.
  public enum NonceForm: String, CaseIterable, Sendable {
    /// It is the same.
    case plain
    /// It is its SHA-256 digest in lower-case hexadecimal, which native applications send to Apple.
    case sha256
  }

  /// The name for callers.
  public var name: String
  /// The `iss` of its tokens, any of them exactly; the first is the one that identities are kept under.
  public var issuers: [String]
  /// The `aud` of tokens that are for this installation.
  public var clientIDs: Set<String>
  /// The allowed signature algorithms.
  public var algorithms: [String]
  /// Its keys.
  public var keys: KeyLocation
  /// How nonces are shown to it.
  public var nonceForm: NonceForm
  /// Whether an address is proven that it says it has verified.
  public var trustsEmail: Bool
  /// Values of `hd` of which tokens must have one; empty for no such rule.
  public var hostedDomains: Set<String>
  /// How browsers sign in with it; nil where they do not.
  public var browser: BrowserSignIn?
  /// How authorization codes are exchanged; nil where they are not, and for all providers but Apple.
  public var authorization: AppleAuthorization?

  /// The name under which Apple's peculiarities are built in.
  static let apple = "apple"
  /// The name under which Google's peculiarities are built in.
  static let google = "google"
  /// Providers, at most.
  static let countMax = 32

  /// The issuer that identities are kept under.
  var issuer: String { issuers[0] }

  /// Reads the settings of one provider.
  init(name: String, _ field: JSONField) throws(JSONDecodingError) {
    guard (1...32).contains(name.utf8.count),
      name.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) })
    else { throw field.error("a provider's name has 1 to 32 of a-z, 0-9 and -") }
    self.name = name
    var members = try field.members()
    let preset = Preset(name)
    issuers = try members.optional("issuers").map(Self.texts) ?? preset?.issuers ?? []
    guard !issuers.isEmpty else { throw field.error("needs issuers, such as https://example.org") }
    clientIDs = Set(try Self.texts(try members.required("client_ids")))
    algorithms = [RSAVerificationKey.algorithm]
    if let field = members.optional("algorithms") {
      algorithms = try Self.texts(field)
      let known = [RSAVerificationKey.algorithm, VerificationKey.algorithm]
      guard algorithms.allSatisfy({ known.contains($0) }) else {
        throw field.error("must be of \(known.joined(separator: " and "))")
      }
    }
    if let field = members.optional("keys") {
      keys = try Self.keys(field)
    } else if let address = preset?.keys {
      keys = .url(address)
    } else {
      throw field.error("needs keys: a file, or the URL that the provider's jwks_uri names")
    }
    nonceForm = try members.optional("nonce")?.choice(of: NonceForm.self) ?? preset?.nonce ?? .plain
    trustsEmail = try members.optional("trust_email_verified")?.boolean() ?? preset?.trusts ?? false
    hostedDomains = Set(try members.optional("hosted_domains").map(Self.texts) ?? [])
    browser = try members.optional("browser").map { field throws(JSONDecodingError) in
      try BrowserSignIn(field, of: name, clients: clientIDs)
    }
    if let field = members.optional("authorization") {
      guard name == Self.apple else { throw field.error("is for the provider apple alone") }
      authorization = try AppleAuthorization(field)
    }
    try members.finish()
  }

  /// Reads the settings of all providers, sorted by name.
  static func all(_ field: JSONField) throws(JSONDecodingError) -> [IdentityProvider] {
    var members = try field.members()
    var providers: [IdentityProvider] = []
    var issuers: Set<String> = []
    for (name, field) in members.rest() {
      let provider = try IdentityProvider(name: name, field)
      for issuer in provider.issuers where !issuers.insert(issuer).inserted {
        // One person must not be two identities, depending on the name that was used.
        throw field.error("\(issuer) is an issuer of another provider already")
      }
      providers.append(provider)
    }
    guard providers.count <= countMax else { throw field.error("more than \(countMax) providers") }
    return providers.sorted { $0.name < $1.name }
  }

  private static func keys(_ field: JSONField) throws(JSONDecodingError) -> KeyLocation {
    var members = try field.members()
    let file = try members.optional("file")?.nonEmptyString()
    let url = members.optional("url")
    let authority = try members.optional("ca_file")?.nonEmptyString()
    let isPrivate = try members.optional("allow_private_addresses")?.boolean() ?? false
    try members.finish()
    switch (file, url) {
    case (let file?, nil):
      guard authority == nil, !isPrivate else { throw field.error("a file needs only file") }
      return .file(file)
    case (nil, let url?):
      let text = try url.string()
      guard KeySetAddress.isURL(text) else {
        throw url.error("must be an https URL without user, password and fragment")
      }
      return .url(
        KeySetAddress(url: text, authorityFile: authority, allowsPrivateAddresses: isPrivate)
      )
    default: throw field.error("must have one of file and url")
    }
  }

  private static func texts(_ field: JSONField) throws(JSONDecodingError) -> [String] {
    let texts = try field.strings()
    guard (1...32).contains(texts.count), texts.allSatisfy({ (1...255).contains($0.utf8.count) })
    else { throw field.error("must be a list of 1 to 32 texts of up to 255 bytes") }
    return texts
  }
}

/// Where a key set is fetched from, and on what terms.
public struct KeySetAddress: Hashable, Sendable {
  /// An https URL.
  public var url: String
  /// The file of the authorities that may have signed the server's certificate (PEM); nil for the system's.
  public var authorityFile: String?
  /// Whether the server may have a private or loopback address, as one of the company's own has.
  public var allowsPrivateAddresses = false

  /// Whether a text is an https URL that names nothing but a host, a path and a query.
  static func isURL(_ text: String) -> Bool { HTTPFetch.isURL(text) }
}

/// The built-in settings of well-known providers.
private struct Preset {
  let issuers: [String]
  let keys: KeySetAddress
  let nonce: IdentityProvider.NonceForm
  let trusts: Bool

  init?(_ name: String) {
    switch name {
    case IdentityProvider.apple:
      issuers = ["https://appleid.apple.com", "https://account.apple.com"]
      keys = KeySetAddress(url: "https://appleid.apple.com/auth/keys")
      (nonce, trusts) = (.sha256, true)
    case IdentityProvider.google:
      // With and without the scheme, says Google; both are the same issuer.
      issuers = ["https://accounts.google.com", "accounts.google.com"]
      keys = KeySetAddress(url: "https://www.googleapis.com/oauth2/v3/certs")
      (nonce, trusts) = (.plain, false)
    default: return nil
    }
  }
}
