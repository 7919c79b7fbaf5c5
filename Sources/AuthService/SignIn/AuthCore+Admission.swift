internal import RPCKit
internal import ServiceKit

/// What failed attempts are counted under.
struct AttemptSubject: Sendable {
  /// In the store: keyed, so that the counts of addresses that have no account name nobody.
  let digest: [UInt8]
  /// Whether only somebody who was right before can use it: a device or a session.
  ///
  /// That there is an account is not a secret then.
  let isKnown: Bool
}

/// A sign-in that may be tried: how it is counted and where its password waits, decided before the
/// store is asked.
struct SignInAttempt: Sendable {
  let email: EmailAddress
  /// The account's own digest, whoever asks.
  let account: [UInt8]
  /// What this attempt is counted under.
  let subject: AttemptSubject
  /// The device, if it signed in before.
  let device: KnownDevice?
  let source: CallSource
  /// What it takes of what its source may guess; nil when it is not counted.
  let guess: Charge?
  /// What it takes of how often its source and its account may sign in.
  let rate: [Charge]
  /// Whether the account is among those: only somebody who was right before may use that up.
  let isAccountCharged: Bool
  let permit: HashPool.Permit
}

/// An attempt that was taken of a limit, to be given back if it does not count.
struct Charge: Sendable {
  let limiter: SourceLimiter
  /// Of what: a source's bytes, an account's digest.
  let name: [UInt8]

  func giveBack() { limiter.giveBack(name) }
}

extension AuthCore {
  /// What failed attempts on an account are counted under when nothing is known of who tries.
  func attemptSubject(_ email: EmailAddress) -> [UInt8] {
    secrets.lookup.code(of: Array("attempt \(email.key)".utf8))
  }

  /// What attempts within a session are counted under: whoever guesses elsewhere must not make its
  /// owner wait.
  func attemptSubject(session: String) -> AttemptSubject {
    let text = Array("session attempt \(session)".utf8)
    return AttemptSubject(digest: secrets.lookup.code(of: text), isKnown: true)
  }

  private func attemptSubject(_ device: KnownDevice, of account: [UInt8]) -> AttemptSubject {
    let text = Array("device attempt ".utf8) + device.name + account
    return AttemptSubject(digest: secrets.lookup.code(of: text), isKnown: true)
  }

  /// Lets a sign-in be tried, or throws RESOURCE_EXHAUSTED.
  ///
  /// A device that is known has attempts of its own, and the wrong ones of strangers and of others at
  /// its address do not count for it.
  func admitSignIn(
    email: String,
    deviceToken: String,
    _ source: CallSource
  ) throws(RPCError) -> SignInAttempt {
    let (email, now) = (EmailAddress(email), clock.now)
    let account = attemptSubject(email)
    let device = devices.read(deviceToken, of: account, now: now)
    let wasRight = source.address.map { successes.contains(account, $0, now: now) } ?? false
    let isKnown = device != nil || wasRight
    var (guess, rate): (Charge?, [Charge]) = (nil, [])
    do throws(RPCError) {
      if device == nil { guess = try charge(guesses, source, "SignIn") }
      if let charge = try charge(sourceSignIns, source, "SignIn") { rate.append(charge) }
      if isKnown { rate.append(try charge(account: account)) }
      return SignInAttempt(
        email: email,
        account: account,
        subject: device.map { attemptSubject($0, of: account) }
          ?? AttemptSubject(digest: account, isKnown: false),
        device: device,
        source: source,
        guess: guess,
        rate: rate,
        isAccountCharged: isKnown,
        permit: try pool.reserve(
          isKnown ? .trusted : .ordinary,
          // Only whoever signed in to the account has its device tokens; its address others may have.
          for: device != nil
            ? HashShare(account: account) : HashShare(account: account, from: source.address)
        )
      )
    } catch {
      guess?.giveBack()
      for charge in rate { charge.giveBack() }
      throw error
    }
  }

  /// Nothing was found out about the password.
  func giveBack(_ attempt: SignInAttempt) {
    attempt.guess?.giveBack()
    for charge in attempt.rate { charge.giveBack() }
  }

  /// The password was right: this counts for the next time, and of how often that may be.
  ///
  /// Throws RESOURCE_EXHAUSTED when the account was signed in to too often. Somebody who was never
  /// right before is not told so earlier, as it would tell that there is such an account.
  func succeeded(_ attempt: SignInAttempt) throws(RPCError) {
    attempt.guess?.giveBack()
    if let source = attempt.source.address {
      successes.insert(attempt.account, source, now: clock.now)
    }
    if !attempt.isAccountCharged { _ = try charge(account: attempt.account) }
  }

  /// The password was wrong, or came too early.
  func failed(_ attempt: SignInAttempt) {
    metrics.signIns.series("refused").increment()
    for charge in attempt.rate { charge.giveBack() }
    guard attempt.device == nil, let source = attempt.source.counted,
      guesses.isGuessing(source, account: attempt.account)
    else { return }
    metrics.guessingSources.increment()
    logger.warning(
      "one source failed to sign in to many accounts",
      ["network": .string(attempt.source.network)]
    )
  }

  /// Lets an account be asked for, or throws RESOURCE_EXHAUSTED.
  func admitSignUp(_ email: String, _ source: CallSource) throws(RPCError) -> HashPool.Permit {
    let charge = try charge(signUps, source, "SignUp")
    do {
      let account = attemptSubject(EmailAddress(email))
      return try pool.reserve(.ordinary, for: HashShare(account: account, from: source.address))
    } catch {
      charge?.giveBack()
      throw error
    }
  }

  /// Lets a token of a provider be shown, or throws RESOURCE_EXHAUSTED.
  ///
  /// To be given back when the token turns out right: only wrong ones are counted.
  func admitGuess(_ source: CallSource, _ method: String) throws(RPCError) -> Charge? {
    try charge(guesses, source, method)
  }

  /// Lets a sign-in with a provider be tried, or throws RESOURCE_EXHAUSTED.
  ///
  /// To be given back when the token turns out wrong.
  func admitProviderSignIn(_ source: CallSource, _ method: String) throws(RPCError) -> Charge? {
    try charge(sourceSignIns, source, method)
  }

  /// Lets an account be made for somebody who signs in with a provider, or throws RESOURCE_EXHAUSTED.
  func admitNewAccount(_ source: CallSource, _ method: String) throws(RPCError) -> Charge? {
    try charge(signUps, source, method)
  }

  /// Takes an attempt of a source; nil when it is not counted.
  func charge(
    _ limiter: SourceLimiter,
    _ source: CallSource,
    _ method: String
  ) throws(RPCError) -> Charge? {
    guard let counted = source.counted else { return nil }
    if case .refused(let wait) = limiter.take(counted, now: clock.now) {
      metrics.sourceRefusals.series(method).increment()
      throw AuthError.tooManyAttempts(retryAfter: .milliseconds(wait))
    }
    return Charge(limiter: limiter, name: counted.bytes)
  }

  /// Takes one of the right passwords that an account has.
  func charge(account: [UInt8]) throws(RPCError) -> Charge {
    if case .refused(let wait) = accountSignIns.take(account, now: clock.now) {
      metrics.accountRefusals.increment()
      throw AuthError.accountSignsInTooOften(retryAfter: .milliseconds(wait))
    }
    return Charge(limiter: accountSignIns, name: account)
  }
}
