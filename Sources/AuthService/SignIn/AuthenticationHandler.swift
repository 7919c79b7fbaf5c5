internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Signing up, in and out.
struct AuthenticationHandler: Auth_V1.AuthenticationService {
  let core: AuthCore

  /// Makes an account, or signs in to the one that this key made before.
  ///
  /// A repetition is a sign-in like any other: the password is compared with the one that the account
  /// has now, is counted where guesses are counted, and gets a session of its own. What is remembered
  /// of the first call says only that there was one, so a password that was changed since opens
  /// nothing, and a wrong one is answered as it always is.
  func signUp(
    _ request: Auth_V1.SignUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    guard EmailAddress(request.email).isMailable else {
      throw AuthError.emailInvalid(field: "email")
    }
    guard !request.name.isEmpty else { throw AuthError.nameRequired }
    if let objection = core.policy.objection(to: request.password, email: request.email) {
      throw PasswordError.refused(objection, field: "password")
    }
    let source = CallSource(call, core.settings.sourceLimits)
    let permit = try core.admitSignUp(request.email, source)
    let (core, password) = (core, request.password)
    let record = try await core.pool.run(permit) { try core.hasher.record(of: password) }
    let user = newUser(request)
    // Before the account: one that cannot be answered for must not be made either.
    let context = try await core.contexts.context(
      of: user.id,
      allowsPartial: request.allowPartialContext
    )
    let signer = try await core.signer()
    let session = core.newSession(
      of: user.id,
      from: DeviceDescription(request.device),
      network: source.network,
      proof: .password,
      now: user.created
    )
    let made = try await core.writeOnce(request.idempotencyKey, request.withoutPassword, call) {
      tx in
      try insert(user, record, session, from: source, in: tx)
    }
    guard made.id == user.id else {
      return try await signIn(request.signIn, call, tellsOwner: false)
    }
    core.outbox.wake()
    let tokens = core.tokens(of: session, by: signer)
    return .init(
      tokens: tokens,
      user: .init(user, context, now: core.clock.now),
      deviceToken: core.deviceToken(nil, user.address, session),
      token: tokens.accessToken
    )
  }

  /// Makes the account and its first session; the user's identifier is all that is remembered under
  /// the idempotency key.
  private func insert(
    _ user: UserRecord,
    _ record: PasswordRecord,
    _ session: SessionRecord,
    from source: CallSource,
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.User {
    guard try !UserTable.isTaken(user.address, now: user.created, in: tx) else {
      throw AuthError.emailTaken
    }
    try UserTable.insert(user, password: record.text, in: tx)
    // The account is as new as its sign-up: it is the source that asks.
    let holder = PlaceHolder.source(source.counted)
    try core.queueVerification(of: user, for: holder, now: user.created, in: tx)
    try tx.audit("user.sign_up", object: user.id, by: .user(user.id))
    _ = try core.begin(session, of: user, in: tx)
    return .init(id: user.id)
  }

  private func newUser(_ request: Auth_V1.SignUpRequest) -> UserRecord {
    let now = core.clock.now
    return UserRecord(
      id: core.identifiers.make(.user),
      email: request.email,
      isEmailVerified: false,
      displayName: request.name,
      firstName: request.firstName,
      lastName: request.lastName,
      created: now,
      updated: now,
      language: request.language
    )
  }

  func signOut(
    _ request: Auth_V1.SignOutRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignOutResponse {
    let user = try call.requireUser()
    // One that has ended already is what the caller wants.
    _ = try await core.revoke(of: user, call, action: "session.sign_out") { _ in [user.sessionID] }
    return .init()
  }
}

extension Auth_V1.SignUpRequest {
  /// The request without the password, by which it differs from others under the same idempotency key.
  ///
  /// The password does not: anyone who knows the rest could find it by asking which one was used.
  fileprivate var withoutPassword: Auth_V1.SignUpRequest {
    var request = self
    request.password = ""
    return request
  }

  /// The display name, or what first and last name make of one; empty without any of them.
  fileprivate var name: String {
    guard displayName.isEmpty else { return displayName }
    let names = [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ")
    // As long as the contract lets one be.
    var name = ""
    for character in names where name.utf8.count + character.utf8.count <= 200 {
      name.append(character)
    }
    return name
  }

  /// Signing in to the account that it asks for.
  fileprivate var signIn: Auth_V1.SignInRequest {
    .init(
      email: email,
      password: password,
      device: device,
      allowPartialContext: allowPartialContext
    )
  }
}
