/// The validator that says whether a token that was accepted is still accepted.
package protocol TokenValidator: AnyObject, Sendable {
  /// As far as it can be said without asking anybody; what nobody can tell counts as yes.
  func isStillValid(_ token: VerifiedToken) -> Bool
}

/// A user who is calling, as a verified access token says.
///
/// One reference, because it is copied several times on every call.
public struct UserIdentity: Sendable, Hashable {
  private final class Storage: Sendable {
    let verified: VerifiedToken
    let token: BearerToken
    let actingService: String?
    let believer: (any TokenValidator)?

    init(
      _ verified: VerifiedToken,
      _ token: BearerToken,
      actingService: String?,
      believer: (any TokenValidator)?
    ) {
      self.verified = verified
      self.token = token
      self.actingService = actingService
      self.believer = believer
    }
  }

  private let storage: Storage

  /// The reference that it is, for a call to carry: an object around it would be one more for each call.
  var object: any AnyObject & Sendable { storage }

  /// The identity whose `object` this is; nil for every other object.
  init?(object: (any AnyObject & Sendable)?) {
    guard let storage = object as? Storage else { return nil }
    self.storage = storage
  }

  private var claims: AccessClaims { storage.verified.claims }
  /// The verified token.
  var verified: VerifiedToken { storage.verified }

  /// The user.
  public var userID: String { claims.userID }
  /// In which session.
  public var sessionID: String { claims.sessionID }
  /// The token that proves it.
  public var token: BearerToken { storage.token }
  /// How they proved to be who they are: `pwd`, `pin`; see `Assurance`.
  public var acr: String { claims.acr }
  /// When they did, in milliseconds since 1970.
  public var authenticated: Int64 { claims.authenticated }
  /// When the token ends, in milliseconds since 1970.
  public var tokenExpires: Int64 { claims.expires }
  /// How strongly they did, as it counts at an instant in milliseconds since 1970.
  public func assurance(at now: Int64) -> Assurance {
    Assurance(
      acr: claims.acr,
      purpose: claims.purpose,
      object: claims.object,
      isRecent: now.subtractingSaturated(claims.authenticated) <= Assurance.recentAgeMax
    )
  }
  /// The one thing an elevated token is good for, or nil.
  public var purpose: String? { claims.purpose }
  /// Whether the token proves more than a sign-in by password does.
  var isElevated: Bool { Assurance(acr: claims.acr, purpose: claims.purpose).isElevated }
  /// The service that calls for the user, or nil when the user calls.
  public var actingService: String? { storage.actingService }

  /// The user of a token that is accepted by `believer`, who is asked again later.
  package init(
    _ verified: VerifiedToken,
    _ token: BearerToken,
    actingService: String?,
    believer: (any TokenValidator)?
  ) {
    storage = Storage(verified, token, actingService: actingService, believer: believer)
  }

  /// Whether the token would still be accepted: it has not ended, and no revocation that was heard of
  /// since concerns it.
  ///
  /// For what happens a while after the call was let in: a write whose turn has come, a stream that
  /// continues. Asks nobody, so it costs next to nothing. Always true of an identity that was made
  /// without a token.
  public var isStillValid: Bool { storage.believer?.isStillValid(storage.verified) ?? true }

  /// Makes an identity of a user whose token is not at hand.
  public init(
    userID: String,
    sessionID: String,
    token: BearerToken,
    acr: String,
    authenticated: Int64,
    tokenExpires: Int64,
    purpose: String? = nil,
    object: String? = nil,
    actingService: String? = nil
  ) {
    let claims = AccessClaims(
      userID: userID,
      sessionID: sessionID,
      tokenID: "",
      issued: authenticated,
      expires: tokenExpires,
      acr: acr,
      methods: [],
      authenticated: authenticated,
      purpose: purpose,
      object: object
    )
    self.init(
      VerifiedToken(claims, keys: KeySet([])),
      token,
      actingService: actingService,
      believer: nil
    )
  }

  /// Whether both are one user with the same token, who calls in the same way.
  public static func == (left: UserIdentity, right: UserIdentity) -> Bool {
    left.storage === right.storage
      || left.claims == right.claims && left.token == right.token
        && left.actingService == right.actingService
  }

  /// Hashes the user and the session.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(userID)
    hasher.combine(sessionID)
  }
}
