internal import RPCKit
internal import ServiceKit

/// What failed attempts are counted under.
struct AttemptSubject: Sendable {
  /// In the store: keyed, so that the counts of addresses that have no account name nobody.
  let digest: [UInt8]
  /// Whether only somebody who was right before can use it: a device or a session.
  ///
  /// That there is an account is no secret then.
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
  let permit: HashPool.Permit
}

extension AuthCore {
  /// What failed attempts on an account are counted under when nothing is known of who tries.
  func attemptSubject(_ email: EmailAddress) -> [UInt8] {
    Digests.hmacSHA256(key: secrets.lookup, Array("attempt \(email.key)".utf8))
  }

  /// What attempts within a session are counted under: whoever guesses elsewhere must not make its
  /// owner wait.
  func attemptSubject(session: String) -> AttemptSubject {
    let text = Array("session attempt \(session)".utf8)
    return AttemptSubject(
      digest: Digests.hmacSHA256(key: secrets.lookup, text),
      isKnown: true
    )
  }

  private func attemptSubject(_ device: KnownDevice, of account: [UInt8]) -> AttemptSubject {
    let text = Array("device attempt ".utf8) + device.name + account
    return AttemptSubject(
      digest: Digests.hmacSHA256(key: secrets.lookup, text),
      isKnown: true
    )
  }

  /// Lets a sign-in be tried, or throws RESOURCE_EXHAUSTED.
  ///
  /// A device that is known has attempts of its own, and neither those of strangers nor those of
  /// others at its address count for it.
  func admitSignIn(
    email: String,
    deviceToken: String,
    _ source: CallSource
  ) throws(RPCError) -> SignInAttempt {
    let (email, now) = (EmailAddress(email), clock.now)
    let account = attemptSubject(email)
    let device = devices.read(deviceToken, of: account, now: now)
    if device == nil { try take(signInLimiter, source, "SignIn") }
    let wasRight = source.address.map { successes.contains(account, $0, now: now) } ?? false
    do {
      return SignInAttempt(
        email: email,
        account: account,
        subject: device.map { attemptSubject($0, of: account) }
          ?? AttemptSubject(digest: account, isKnown: false),
        device: device,
        source: source,
        permit: try pool.reserve(device != nil || wasRight ? .trusted : .ordinary)
      )
    } catch {
      if device == nil { giveBack(signInLimiter, source) }
      throw error
    }
  }

  /// The password was right, or could not be checked.
  func giveBack(_ attempt: SignInAttempt) {
    if attempt.device == nil { giveBack(signInLimiter, attempt.source) }
  }

  /// The password was right: this counts for the next time.
  func succeeded(_ attempt: SignInAttempt) {
    giveBack(attempt)
    guard let source = attempt.source.address else { return }
    successes.insert(attempt.account, source, now: clock.now)
  }

  /// The password was wrong, or came too early.
  func failed(_ attempt: SignInAttempt) {
    metrics.signIns.series("refused").increment()
    guard attempt.device == nil, let source = attempt.source.counted,
      signInLimiter.isGuessing(source, account: attempt.account)
    else { return }
    metrics.guessingSources.increment()
    logger.warning(
      "one source tries many accounts",
      ["network": .string(attempt.source.network)]
    )
  }

  /// Lets an account be asked for, or throws RESOURCE_EXHAUSTED.
  func admitSignUp(_ source: CallSource) throws(RPCError) -> HashPool.Permit {
    try take(signUpLimiter, source, "SignUp")
    do {
      return try pool.reserve(.ordinary)
    } catch {
      giveBack(signUpLimiter, source)
      throw error
    }
  }

  private func take(
    _ limiter: SourceLimiter,
    _ source: CallSource,
    _ method: String
  ) throws(RPCError) {
    guard let counted = source.counted,
      case .refused(let wait) = limiter.take(counted, now: clock.now)
    else { return }
    metrics.sourceRefusals.series(method).increment()
    throw AuthError.tooManyAttempts(retryAfter: .milliseconds(wait))
  }

  private func giveBack(_ limiter: SourceLimiter, _ source: CallSource) {
    if let counted = source.counted { limiter.giveBack(counted) }
  }
}
