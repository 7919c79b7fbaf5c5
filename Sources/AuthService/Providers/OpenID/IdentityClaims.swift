internal import ServiceKit

/// Why an identity token is not accepted: for metrics and tests, as callers get one answer for all.
enum IdentityTokenFault: Error, Hashable, Sendable {
  /// The fault of the token, no matter who issued it.
  case token(TokenFault)
  /// Not for the nonce that the caller has.
  case nonce
  /// A nonce that was not given out here, or for something else, or too long ago, or was used.
  case nonceUnknown
  /// Given to another client of the same provider (`azp`).
  case authorizedParty
  /// `sub` is missing or impossible.
  case subject
  /// Not of an organization that may sign in.
  case hostedDomain
  /// The authorization code that came along is not the one that the token was made with.
  case codeHash

  /// As metrics name it.
  var label: String {
    switch self {
    case .token(let fault): fault.rawValue
    case .nonce: "nonce"
    case .nonceUnknown: "nonceUnknown"
    case .authorizedParty: "authorizedParty"
    case .subject: "subject"
    case .hostedDomain: "hostedDomain"
    case .codeHash: "codeHash"
    }
  }

  static let all: [IdentityTokenFault] =
    TokenFault.allCases.map { .token($0) }
    + [.nonce, .nonceUnknown, .authorizedParty, .subject, .hostedDomain, .codeHash]
}

/// The user who signed in with a provider, as the token says; made only of a token that was verified.
struct IdentityClaims: Hashable, Sendable {
  /// The provider, by the first of its issuers.
  let issuer: String
  /// The permanent identifier: the key of an identity together with the issuer, and never an address.
  let subject: String
  /// The address, if there is one that mail can be sent to.
  let email: String?
  /// Whether the address is proven, as far as the provider is trusted with that.
  let isEmailVerified: Bool
  /// Whether Apple forwards mail from the address.
  let isPrivateEmail: Bool
  /// The user's name; empty if the token does not say.
  let name: String
  /// When the token was issued, in milliseconds since 1970.
  let issued: Int64
  /// When the user proved to the provider who they are, if it says so.
  let authenticated: Int64?
  /// Which of our clients asked for the token.
  let clientID: String
  /// Of the authorization code that the token was made with, if it says so.
  private let codeHash: String?

  /// How much later or earlier than ours a provider's clock may be, in milliseconds.
  static let skew: Int64 = 60_000
  /// How old a token may be, in milliseconds: its own lifetime is a day with some providers.
  static let ageMax: Int64 = 10 * 60_000

  /// Checks everything but the signature (OpenID Connect Core 1.0, section 3.1.3.7).
  ///
  /// Before the signature, and before a key is looked for: a token that was not asked for here must not make
  /// anybody fetch keys. `nonce` is what the token must have. `now` is in milliseconds since 1970.
  init(
    unverified claims: JSONObject,
    of provider: IdentityProvider,
    nonce: String,
    now: Int64
  ) throws(IdentityTokenFault) {
    guard let shown = claims["nonce"]?.string,
      Digests.areEqual(Array(shown.utf8), Array(nonce.utf8))
    else { throw .nonce }
    try Self.check(claims, of: provider, now: now, ageMax: Self.ageMax)
    guard let subject = claims["sub"]?.string, Self.isSubject(subject) else { throw .subject }
    if !provider.hostedDomains.isEmpty {
      // The claim, and not the end of the address, which says nothing of who manages the account.
      guard let domain = claims["hd"]?.string, provider.hostedDomains.contains(domain) else {
        throw .hostedDomain
      }
    }
    issuer = provider.issuer
    self.subject = subject
    let address = claims["email"]?.string.map { EmailAddress($0) }
    let mailable = address.flatMap { $0.isMailable ? $0 : nil }
    email = mailable?.text
    isEmailVerified =
      mailable.map { address in
        provider.trustsEmail && Self.isTrue(claims["email_verified"])
          && Self.isAuthoritative(provider, address, claims)
      } ?? false
    isPrivateEmail = Self.isTrue(claims["is_private_email"])
    name = claims["name"]?.string ?? ""
    issued = try Self.time("iat", in: claims)
    authenticated = claims["auth_time"] == nil ? nil : try Self.time("auth_time", in: claims)
    // With several audiences there is a party: `check` has looked at both.
    clientID =
      claims["azp"]?.string ?? claims["aud"]?.string ?? claims["aud"]?.array?.first?.string ?? ""
    codeHash = claims["c_hash"]?.string
  }

  /// Throws when the token was made with another authorization code (OpenID Connect Core 1.0, section
  /// 3.3.2.11); one that says nothing of a code is taken with any, because Apple's answer to the code says
  /// whose it is.
  func check(code: String) throws(IdentityTokenFault) {
    guard !code.isEmpty, let codeHash else { return }
    let half = Base64URL.encode(Array(Digests.sha256(code).prefix(16)))
    guard Digests.areEqual(Array(codeHash.utf8), Array(half.utf8)) else { throw .codeHash }
  }

  /// Checks whose a signed set of claims is, for whom, and when: what identity tokens and notifications have
  /// in common.
  ///
  /// Tokens older than `ageMax` have ended.
  static func check(
    _ claims: JSONObject,
    of provider: IdentityProvider,
    now: Int64,
    ageMax: Int64
  ) throws(IdentityTokenFault) {
    guard let issuer = claims["iss"]?.string, provider.issuers.contains(issuer) else {
      throw .token(.issuer)
    }
    try checkAudience(claims, of: provider)
    let issued = try time("iat", in: claims)
    let expires = try time("exp", in: claims)
    guard now < expires + skew, now - issued < ageMax + skew else { throw .token(.expired) }
    guard issued <= now + skew else { throw .token(.notYetValid) }
    if claims["nbf"] != nil {
      guard try time("nbf", in: claims) <= now + skew else { throw .token(.notYetValid) }
    }
    guard expires > issued else { throw .token(.lifetime) }
  }

  /// One of our clients is the audience, all others there are ours too, and if several are named or `azp`
  /// says who asked for the token, that was one of ours.
  private static func checkAudience(
    _ claims: JSONObject,
    of provider: IdentityProvider
  ) throws(IdentityTokenFault) {
    let audiences: [JSONValue]
    switch claims["aud"] {
    case .string(let audience): audiences = [.string(audience)]
    case .array(let several): audiences = several
    default: throw .token(.audience)
    }
    guard (1...16).contains(audiences.count),
      audiences.allSatisfy({ isClient($0, of: provider) })
    else { throw .token(.audience) }
    guard let party = claims["azp"] else {
      guard audiences.count == 1 else { throw .authorizedParty }
      return
    }
    guard isClient(party, of: provider) else { throw .authorizedParty }
  }

  private static func isClient(_ value: JSONValue, of provider: IdentityProvider) -> Bool {
    value.string.map { provider.clientIDs.contains($0) } ?? false
  }

  /// Whether a provider can know that its user has the address.
  ///
  /// Google verifies addresses of other mail services once, and they may have changed hands since; its own,
  /// and those of organizations that it manages, it hands out itself.
  private static func isAuthoritative(
    _ provider: IdentityProvider,
    _ address: EmailAddress,
    _ claims: JSONObject
  ) -> Bool {
    guard provider.name == IdentityProvider.google else { return true }
    return address.key.hasSuffix("@gmail.com") || claims["hd"]?.string?.isEmpty == false
  }

  /// 1 to 255 printable ASCII characters, blanks among them (OpenID Connect Core 1.0, section 2).
  static func isSubject(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// A Boolean that some providers, Apple and Google among them, write as text at times.
  static func isTrue(_ value: JSONValue?) -> Bool { value?.boolean ?? (value?.string == "true") }

  /// An instant in milliseconds since 1970; a NumericDate may have a fraction (RFC 7519, section 2).
  private static func time(
    _ name: String,
    in claims: JSONObject
  ) throws(IdentityTokenFault) -> Int64 {
    // Beyond 2^53 readers differ in what they read (RFC 7493, section 2.2).
    guard let seconds = claims[name]?.number?.double, (0...0x1p53).contains(seconds) else {
      throw .token(.claims)
    }
    return Int64((seconds * 1000).rounded(.down))
  }
}
