internal import RPCKit
internal import ServiceKit

/// The subject that failed attempts are counted under.
struct AttemptSubject: Sendable {
  /// In the store: keyed, so that the counts of addresses that have no account name nobody.
  let digest: [UInt8]
  /// Whether only a user who was right before can use it: a device or a session.
  ///
  /// That there is an account is not a secret then.
  let isKnown: Bool
}

/// An attempt that was taken of a limit, to be given back if it does not count.
struct Charge: Sendable {
  let limiter: SourceLimiter
  /// Of what: a source's bytes, an account's digest.
  let name: [UInt8]

  func giveBack() { limiter.giveBack(name) }
}

extension AuthCore {
  /// The subject of failed attempts on an account when nothing is known of the caller.
  func attemptSubject(_ email: EmailAddress) -> [UInt8] {
    secrets.lookup.code(of: Array("attempt \(email.key)".utf8))
  }

  /// The subject of attempts within a session: anyone who guesses elsewhere must not make its
  /// owner wait.
  func attemptSubject(session: String) -> AttemptSubject {
    let text = Array("session attempt \(session)".utf8)
    return AttemptSubject(digest: secrets.lookup.code(of: text), isKnown: true)
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
