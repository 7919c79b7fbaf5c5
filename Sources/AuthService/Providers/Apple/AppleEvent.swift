internal import ServiceKit

/// An event about a user of Sign in with Apple, in a signed notification.
struct AppleEvent: Hashable, Sendable {
  /// The kind of event.
  enum Kind: String, Sendable {
    /// Apple no longer forwards mail from the user's private address.
    case emailDisabled = "email-disabled"
    /// Apple forwards it again.
    case emailEnabled = "email-enabled"
    /// The user stopped using Apple's account for this application.
    case consentRevoked = "consent-revoked"
    /// The user deleted Apple's account.
    case accountDeleted = "account-deleted"
  }

  /// Names the notification; the same one may come again.
  let id: String
  /// The kind; nil for kinds that Apple added since.
  let kind: Kind?
  /// The subject of the identity.
  let subject: String
  /// When it happened, in milliseconds since 1970.
  let time: Int64
  /// The address that mail is or is not forwarded from; empty where it is about something else.
  let email: String

  /// How old a notification may be, in milliseconds: Apple says nothing of how long it repeats one, so this
  /// is more than the three days of its other notifications.
  static let ageMax: Int64 = 7 * 86_400_000

  /// Checks everything but the signature.
  ///
  /// `now` is in milliseconds since 1970.
  init(
    unverified claims: JSONObject,
    of provider: IdentityProvider,
    now: Int64
  ) throws(IdentityTokenFault) {
    try IdentityClaims.check(claims, of: provider, now: now, ageMax: Self.ageMax)
    guard let id = claims["jti"]?.string, (1...255).contains(id.utf8.count) else {
      throw .token(.claims)
    }
    let event = try Self.event(claims["events"])
    guard let subject = event["sub"]?.string, IdentityClaims.isSubject(subject) else {
      throw .subject
    }
    guard let type = event["type"]?.string, let time = event["event_time"]?.integer,
      (0...1 << 53).contains(time)
    else { throw .token(.claims) }
    self.id = id
    self.subject = subject
    // In milliseconds as Apple sends it, in seconds in Apple's own examples of old.
    self.time = time < 100_000_000_000 ? time * 1000 : time
    // What Apple's documents call the one, Apple's servers called the other.
    kind = type == "account-delete" ? .accountDeleted : Kind(rawValue: type)
    email = event["email"]?.string ?? ""
  }

  /// The event: an object inside of a text, or the object itself.
  private static func event(_ value: JSONValue?) throws(IdentityTokenFault) -> JSONObject {
    if let object = value?.object { return object }
    guard let text = value?.string else { throw .token(.claims) }
    let limits = JSONLimits(byteCountMax: 16 * 1024, depthMax: 4, valueCountMax: 64)
    do {
      guard let object = try JSONReader.read(Array(text.utf8), limits: limits).object else {
        throw IdentityTokenFault.token(.claims)
      }
      return object
    } catch {
      throw .token(.claims)
    }
  }
}
