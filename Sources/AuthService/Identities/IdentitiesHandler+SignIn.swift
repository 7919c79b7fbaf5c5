internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Signing in, and the account that the first sign-in makes.
extension IdentitiesHandler {
  /// The account of an identity: as the store has it, or one to be made.
  private struct Account: Sendable {
    let user: UserRecord
    let basis: SignInBasis
    /// Whether it is still to be made.
    let isNew: Bool
    /// The charge to the caller's source.
    var charge: Charge?
  }

  /// Another call made the account of an identity, linked it or unlinked it since it was looked up.
  private struct Overtaken: Error {}

  /// How often a sign-in is begun that others overtake.
  private static let attemptCountMax = 3

  func signIn(
    _ wanted: ProviderSignIn,
    _ request: some Message,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let source = CallSource(call, core.settings.sourceLimits)
    let charge = try core.charge(core.sourceSignIns, source, "Identities")
    let verified: VerifiedIdentity
    do {
      verified = try await core.verifyIdentity(
        wanted.token,
        rawNonce: wanted.rawNonce,
        code: wanted.code,
        for: .signIn(provider: wanted.provider),
        of: wanted.provider,
        source
      )
    } catch {
      core.metrics.signIns.series("refused").increment()
      charge?.giveBack()
      throw error
    }
    // Nothing is used up by one that was overtaken: two who sign in for the first time both do.
    for _ in 0..<Self.attemptCountMax {
      do {
        return try await signIn(verified, wanted, request, source, call)
      } catch is Overtaken {}
    }
    throw LinkError.overtaken
  }

  private func signIn(
    _ verified: VerifiedIdentity,
    _ wanted: ProviderSignIn,
    _ request: some Message,
    _ source: CallSource,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let account = try await account(of: verified, wanted, source)
    do {
      return try await signIn(to: account, verified, wanted, request, source, call)
    } catch let error as Overtaken {
      account.charge?.giveBack()
      throw error
    }
  }

  private func signIn(
    to account: Account,
    _ verified: VerifiedIdentity,
    _ wanted: ProviderSignIn,
    _ request: some Message,
    _ source: CallSource,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let core = core
    let subject = core.attemptSubject(account.user.address)
    let answer: SignInAnswer? = try await core.countingRefusal {
      if !account.isNew { _ = try core.charge(account: subject) }
      // An account with a second factor gets no answer yet.
      guard !account.basis.needsSecondFactor else { return nil }
      return try await core.prepareAnswer(
        to: account.user,
        allowsPartialContext: wanted.allowsPartialContext,
        call
      )
    }
    let ready = ReadySignIn(
      user: account.user,
      basis: account.basis,
      proof: .federated,
      authenticated: verified.claims.authenticated,
      device: wanted.device,
      network: source.network,
      knownDevice: core.devices.read(wanted.deviceToken, of: subject, now: core.clock.now)?
        .known(to: account.user),
      tellsOwner: !account.isNew
    )
    let useNonce = { @Sendable (tx: borrowing WriteTransaction) throws in
      guard try UsedNonceTable.use(verified.nonce, in: tx) else {
        throw ProviderError.tokenInvalid
      }
    }
    guard let answer else {
      return try await core.askForSecondFactor(
        ready,
        allowsPartialContext: wanted.allowsPartialContext,
        call
      ) { tx in
        try useNonce(tx)
        try use(verified, of: account.user.id, in: tx)
        try core.keepCode(wanted.code, of: verified, in: tx)
      }
    }
    let response = try await core.complete(
      ready,
      answer,
      request,
      once: wanted.idempotencyKey,
      call,
      first: { tx in
        try useNonce(tx)
        if account.isNew { try insert(account.user, verified, from: source, in: tx) }
        try core.keepCode(wanted.code, of: verified, in: tx)
      }
    ) { tx in
      try use(verified, of: account.user.id, in: tx)
    }
    if account.isNew { core.outbox.wake() }
    return response
  }

  /// The account that the identity is linked to, or the one that is to be made for it.
  ///
  /// Throws ALREADY_EXISTS when the token has the address of another account: who has a token with an address
  /// need not be who made that account, so this takes that account's own credential.
  private func account(
    of verified: VerifiedIdentity,
    _ wanted: ProviderSignIn,
    _ source: CallSource
  ) async throws -> Account {
    let (claims, now) = (verified.claims, core.clock.now)
    let found = try await core.store.read { tx -> Account? in
      let identity = try IdentityTable.find(of: claims, in: tx)
      guard let identity else {
        // In the same snapshot, because another call may be making the account with this very token.
        guard try !UsedNonceTable.contains(verified.nonce, in: tx) else {
          throw ProviderError.tokenInvalid
        }
        try core.requireNewerThanDeletion(claims, in: tx)
        if let email = claims.email,
          try UserTable.isTaken(EmailAddress(email), now: now, in: tx)
        {
          throw LinkError.notLinked
        }
        return nil
      }
      guard identity.accepts(claims), let user = try UserTable.find(identity.userID, in: tx),
        let basis = try UserTable.basis(of: identity.userID, in: tx)
      else { throw ProviderError.tokenInvalid }
      return Account(user: user, basis: basis, isNew: false)
    }
    if let found { return found }
    guard let email = claims.email else { throw LinkError.withoutEmail }
    let charge = try core.charge(core.signUps, source, "Identities")
    let user = newUser(verified, email: email, wanted.profile, now: now)
    return Account(user: user, basis: .ofNewAccount, isNew: true, charge: charge)
  }

  private func newUser(
    _ verified: VerifiedIdentity,
    email: String,
    _ profile: NewUserProfile,
    now: Int64
  ) -> UserRecord {
    UserRecord(
      id: core.identifiers.make(.user),
      email: email,
      isEmailVerified: verified.claims.isEmailVerified,
      displayName: displayName(verified.claims, email: email, profile),
      firstName: profile.firstName,
      lastName: profile.lastName,
      created: now,
      updated: now,
      language: profile.language
    )
  }

  /// The user's name until they choose one: never empty, and always a valid name.
  private func displayName(
    _ claims: IdentityClaims,
    email: String,
    _ profile: NewUserProfile
  ) -> String {
    if !profile.displayName.isEmpty { return profile.displayName }
    var problems: [FieldViolation] = []
    TextRule.singleLine.check(claims.name, path: "name", into: &problems)
    let isName = (1...200).contains(claims.name.utf8.count) && problems.isEmpty
    return isName ? claims.name : String(email.prefix { $0 != "@" })
  }

  /// Makes the account and its identity; throws `Overtaken` if another call linked the identity since.
  private func insert(
    _ user: UserRecord,
    _ verified: VerifiedIdentity,
    from source: CallSource,
    in tx: borrowing WriteTransaction
  ) throws {
    let claims = verified.claims
    let isLinked = try IdentityTable.find(of: claims, in: tx)
    guard isLinked == nil else { throw Overtaken() }
    // Its account may have been deleted since it was looked up.
    try core.requireNewerThanDeletion(claims, in: tx)
    guard try !UserTable.isTaken(user.address, now: user.created, in: tx) else {
      throw LinkError.notLinked
    }
    // No record matches an empty one: such an account is signed in to with its identities alone.
    try UserTable.insert(user, password: "", in: tx)
    let identity = verified.linked(
      to: user.id,
      id: core.identifiers.make(.identity),
      now: user.created
    )
    try IdentityTable.insert(identity, in: tx)
    if !user.isEmailVerified {
      let holder = PlaceHolder.source(source.counted)
      try core.queueVerification(of: user, for: holder, now: user.created, in: tx)
    }
    try tx.audit(
      "user.sign_up",
      object: user.id,
      detail: "provider \(verified.provider.name)",
      by: .user(user.id)
    )
  }

  /// Notes that the identity was used; throws `Overtaken` when it is no longer the account's.
  private func use(
    _ verified: VerifiedIdentity,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    let claims = verified.claims
    let found = try IdentityTable.find(of: claims, in: tx)
    guard var identity = found, identity.userID == userID else { throw Overtaken() }
    guard identity.accepts(claims) else { throw ProviderError.tokenInvalid }
    identity.take(claims)
    identity.used = core.clock.now
    identity.provider = verified.provider.name
    try IdentityTable.update(identity, in: tx)
  }
}

extension SignInBasis {
  /// The basis of a sign-in to an account that was just made.
  static let ofNewAccount = SignInBasis(passwordVersion: 1, sessionEndings: 0)
}
