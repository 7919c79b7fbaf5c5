internal import RPCKit
internal import ServiceKit

/// A sign-in that may be tried: how it is counted and where its password waits, decided before the
/// store is asked.
struct SignInAttempt: Sendable {
  let email: EmailAddress
  /// The account's own digest, no matter who asks.
  let account: [UInt8]
  /// The subject that this attempt is counted under.
  let subject: AttemptSubject
  /// The device, if it signed in before.
  let device: KnownDevice?
  let source: CallSource
  /// The charge to the guesses of its source; nil when it is not counted.
  let guess: Charge?
  /// The charges to the sign-in rates of its source and its account.
  let rate: [Charge]
  /// Whether the account is among those: only a user who was right before may use that up.
  let isAccountCharged: Bool
  let permit: HashPool.Permit
}

extension AuthCore {
  private func attemptSubject(_ device: KnownDevice, of account: [UInt8]) -> AttemptSubject {
    let text = Array("device attempt ".utf8) + device.name + account
    return AttemptSubject(digest: secrets.lookup.code(of: text), isKnown: true)
  }

  /// Lets a sign-in be tried, or throws RESOURCE_EXHAUSTED.
  ///
  /// A device that is known has attempts of its own, and the wrong ones of strangers and of other devices at
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
          // Only anyone who signed in to the account has its device tokens; its address others may have.
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
  /// Throws RESOURCE_EXHAUSTED when the account was signed in to too often. A user who was never
  /// right before does not learn that earlier, as it would show that there is such an account.
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
}
