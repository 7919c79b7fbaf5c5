internal import RPCKit
internal import ServiceKit

extension AuthCore {
  /// Lets a mail be asked for about whatever has this name, or throws RESOURCE_EXHAUSTED.
  ///
  /// `limit` says in the metric what was too much: `address` or `account`.
  func admitMail(_ name: [UInt8], _ limit: String, _ call: CallContext) throws(RPCError) {
    let source = CallSource(call, settings.sourceLimits).counted?.bytes
    try take([
      (mailLimits.sources, source, "source"), (mailLimits.spacing, name, limit),
      (mailLimits.hourly, name, limit),
    ])
  }

  /// Lets an invitation be mailed, or throws RESOURCE_EXHAUSTED.
  func admitInvitation(of userID: String, to email: EmailAddress) throws(RPCError) {
    try take([
      (mailLimits.inviters, Array(userID.utf8), "inviter"),
      (mailLimits.invited, attemptSubject(email), "invited"),
    ])
  }

  /// Whether one more notice of another service may go to an account.
  func admitNotice(to userID: String) -> Bool {
    if case .refused = mailLimits.told.take(Array(userID.utf8), now: clock.now) {
      metrics.mailRefusals.series("notice").increment()
      return false
    }
    return true
  }

  /// Takes one of each allowance, or none.
  private func take(
    _ wanted: [(limiter: SourceLimiter, name: [UInt8]?, limit: String)]
  ) throws(RPCError) {
    let now = clock.now
    var taken: [Charge] = []
    for (limiter, name, limit) in wanted {
      guard let name else { continue }
      if case .refused(let wait) = limiter.take(name, now: now) {
        for charge in taken { charge.giveBack() }
        metrics.mailRefusals.series(limit).increment()
        throw MailError.tooMany(retryAfter: .milliseconds(wait))
      }
      taken.append(Charge(limiter: limiter, name: name))
    }
  }

  /// Stores a new token of an account and queues the mail that carries it; throws MAIL_QUEUE_FULL when too
  /// many wait.
  ///
  /// The mail goes to `address`, or else to that of the account. `change` sets what the token has besides.
  func require(
    _ kind: MailKind,
    with purpose: MailToken.Purpose,
    to address: String? = nil,
    of user: UserRecord,
    values: [String: String] = [:],
    now: Int64,
    in tx: borrowing WriteTransaction,
    change: (inout MailToken) -> Void = { _ in }
  ) throws {
    var (text, token) = outbox.tokens.issue(purpose, of: user, now: now, random)
    change(&token)
    try MailTokenTable.insert(token, in: tx)
    let order = MailOrder(
      kind,
      to: .address(address ?? user.email),
      userID: user.id,
      token: text,
      values: values
    )
    try outbox.require(order, expires: token.expires, in: tx)
  }

  /// Queues the mail that verifies a user's address; older ones are void from then on.
  ///
  /// Without room for it nothing fails: the user can ask for another one.
  func queueVerification(
    of user: UserRecord,
    for holder: PlaceHolder,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let (text, token) = outbox.tokens.issue(.verifyEmail, of: user, now: now, random)
    try MailTokenTable.deleteUnused(.verifyEmail, of: user.id, in: tx)
    try MailTokenTable.insert(token, in: tx)
    let order = MailOrder(
      .verifyEmail,
      to: .address(user.email),
      userID: user.id,
      token: text
    )
    try outbox.queue(order, of: holder, expires: token.expires, in: tx)
  }
}
