internal import RPCKit
internal import ServiceKit

/// How often mails may be asked for, and the notices that nobody asks for.
struct MailLimits: Sendable {
  /// Mails that sources ask for.
  let sources: SourceLimiter
  /// Mails about one address or account: five in an hour.
  let hourly: SourceLimiter
  /// The same: one in a minute.
  let spacing: SourceLimiter
  /// Notices of new devices to one account: five in an hour.
  let notices: SourceLimiter

  /// Invitations of one user: thirty in an hour.
  let inviters: SourceLimiter
  /// Invitations to one address: five in an hour, apart from the mails that its owner asks for.
  let invited: SourceLimiter

  /// Invitations of one user that are mailed in an hour, at most.
  static let inviterCount = 30
  /// Mails about one address or account in an hour, at most.
  static let hourlyCount = 5
  private static let hour: Int64 = 3_600_000
  private static let minute: Int64 = 60_000

  init(_ settings: SourceLimits, random: any RandomSource) {
    func limiter(_ limit: Int, _ window: Int64) -> SourceLimiter {
      SourceLimiter(
        limit: limit,
        window: window,
        sourceCount: settings.sourceCount,
        key: random.bytes(32)
      )
    }
    sources = limiter(settings.mails, settings.window)
    hourly = limiter(Self.hourlyCount, Self.hour)
    spacing = limiter(1, Self.minute)
    notices = limiter(Self.hourlyCount, Self.hour)
    inviters = limiter(Self.inviterCount, Self.hour)
    invited = limiter(Self.hourlyCount, Self.hour)
  }
}

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
        throw AuthError.tooManyMails(retryAfter: .milliseconds(wait))
      }
      taken.append(Charge(limiter: limiter, name: name))
    }
  }

  /// The mail that tells of a sign-in from a device that the account does not know; nil when there were
  /// many of late.
  func newDeviceNotice(of session: SessionRecord, to user: UserRecord) -> MailOrder? {
    guard case .taken = mailLimits.notices.take(Array(user.id.utf8), now: session.created) else {
      return nil
    }
    let device = [session.device.name, session.device.model].filter { !$0.isEmpty }
    return MailOrder(
      .newDevice,
      to: .address(user.email),
      userID: user.id,
      values: [
        "device": device.isEmpty ? "-" : device.joined(separator: ", "),
        "network": session.network.isEmpty ? "-" : session.network,
        "time": MailDate.short(session.created),
      ]
    )
  }

  /// The mail that tells of another password.
  func passwordNotice(to user: UserRecord, now: Int64) -> MailOrder {
    MailOrder(
      .passwordChanged,
      to: .address(user.email),
      userID: user.id,
      values: ["time": MailDate.short(now)]
    )
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
    let text = outbox.tokens.make(random)
    guard let digest = outbox.tokens.digest(of: text, .verifyEmail) else { return }
    try MailTokenTable.deleteUnused(.verifyEmail, of: user.id, in: tx)
    let token = MailToken(
      digest: digest,
      purpose: .verifyEmail,
      userID: user.id,
      addressKey: user.address.key,
      created: now
    )
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
