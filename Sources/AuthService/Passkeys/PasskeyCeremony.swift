internal import ServiceKit

/// A challenge that was issued and not yet answered.
struct PasskeyCeremony: Hashable, Sendable {
  /// The purpose.
  enum Kind: String, CaseIterable, Sendable {
    /// Registering a passkey.
    case registration
    /// Signing in with any passkey.
    case signIn = "sign_in"
    /// Signing in with a passkey of the account that was named, which may not exist.
    case namedSignIn = "named_sign_in"
    /// Proving within a session who one is.
    case stepUp = "step_up"
  }

  /// How it is named, 128 random bits in base 64.
  var id: String
  var kind: Kind
  /// The challenge for the authenticator: 32 random bytes.
  var challenge: [UInt8]
  /// The user whose passkey it takes; empty for anybody's, and for a named account that does not exist.
  var userID: String
  /// In which session it began; empty for sign-ins.
  var sessionID: String
  /// When it began, in milliseconds since 1970.
  var created: Int64
  /// The holder whose place it takes: see `PlaceHolder`.
  var holder: [UInt8] = []

  /// How long it may take, in milliseconds (WebAuthn Level 3, section 15.1).
  static let lifetime: Int64 = 5 * 60_000

  /// Whether a session began it.
  var isOfSession: Bool { !sessionID.isEmpty }

  /// When it ends.
  var expires: Int64 { created.addingSaturated(Self.lifetime) }

  /// Throws unless it may be answered `now` as one of these kinds.
  func check(_ kinds: Set<Kind>, now: Int64) throws(PasskeyFault) {
    guard kinds.contains(kind) else { throw .kind }
    guard now >= created, now < expires else { throw .expired }
  }

  /// Throws unless it may be answered with this passkey, as far as the account goes.
  ///
  /// An account that was named has only the keys that were offered with its name. Where nobody was
  /// named, the authenticator has to say whose the key is, and be right.
  func check(
    _ passkey: PasskeyRecord,
    owner handle: [UInt8]?,
    shown: [UInt8]?
  ) throws(PasskeyFault) {
    switch kind {
    case .registration: throw .kind
    case .signIn:
      guard let shown, shown == handle else { throw .userHandle }
    case .namedSignIn, .stepUp:
      guard passkey.userID == userID, passkey.created <= created else { throw .credential }
      guard shown == nil || shown == handle else { throw .userHandle }
    }
  }
}
