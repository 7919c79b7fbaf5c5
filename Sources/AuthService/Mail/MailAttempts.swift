internal import RPCKit
internal import ServiceKit

/// A mail that an attempt was begun for.
struct MailAttempt: Sendable {
  let record: MailRecord
  let order: MailOrder
  let address: String
  let user: UserRecord
  let language: String

  /// Which attempt it is, counted from 1.
  var number: Int64 { record.attemptCount + 1 }
}

/// The beginning and the end of attempts to send the mails of the outbox, each in a write.
struct MailAttempts: LeasedRows {
  /// How long one attempt has a mail to itself, in milliseconds: longer than a whole batch may take.
  static let lease: Int64 = 15 * 60_000
  /// The pauses between attempts.
  static let backoff = Backoff(60_000...(4 * 3_600_000))
  /// Bytes of an error that are kept.
  private static let errorByteCountMax = 300

  let tokens: MailTokenKey
  let sealing: SealingKey
  /// Attempts that are made of a mail.
  let countMax: Int64
  let clock: any WallClock
  let logger: Logger
  let metrics: OutboxMetrics

  /// The purpose that a mail is sealed for.
  static func purpose(_ id: String) -> String { "mail \(id)" }

  // MARK: - Beginning

  /// No mail is due later than the longest pause, unless a clock has jumped.
  func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [(mail: MailRecord, sealed: [UInt8])] {
    let horizon = now.addingSaturated(max(Self.backoff.pauses.upperBound, Self.lease))
    return try MailTable.due(now: now, horizon: horizon, limit: limit, in: tx)
  }

  /// Begins an attempt; nil for a mail that ends without one.
  func take(
    _ row: (mail: MailRecord, sealed: [UInt8]),
    until end: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> MailAttempt? {
    let ((mail, sealed), now) = (row, clock.now)
    guard now < mail.expires else {
      try abandon(mail, "expired before it could be sent; \(mail.error)", "expired", now, in: tx)
      return nil
    }
    // A sealing key that was replaced; the mail is lost, and its owner asks for another one.
    let opened = try? sealing.open(sealed, for: Self.purpose(mail.id))
    guard let sealedOrder = opened.flatMap({ MailOrder($0) }) else {
      try abandon(mail, "cannot be read with this sealing key", "refused", now, in: tx)
      return nil
    }
    guard let (order, user, language) = try resolve(sealedOrder, now: now, in: tx) else {
      try MailTable.delete(mail.id, in: tx)
      metrics.sent.series("dropped").increment()
      return nil
    }
    guard case .address(let address) = order.recipient, EmailAddress(address).isMailable else {
      try abandon(mail, "the address cannot be sent mail to", "refused", now, in: tx)
      return nil
    }
    if try IdentityTable.isMailStopped(to: EmailAddress(address), of: user.id, in: tx) {
      try abandon(mail, "Apple does not forward mail to the address", "refused", now, in: tx)
      return nil
    }
    try MailTable.begin(mail.id, userID: user.id, leaseEnd: end, in: tx)
    return MailAttempt(
      record: mail,
      order: order,
      address: address,
      user: user,
      language: order.language ?? language
    )
  }

  /// The order with the address that it goes to, the account that it is about, and the language of anyone who
  /// reads it; nil when it is for nobody.
  private func resolve(
    _ order: MailOrder,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> (MailOrder, UserRecord, language: String)? {
    var order = order
    let digest = order.kind.purpose.flatMap { tokens.digest(of: order.token, $0) }
    // A token that was relieved by a newer one, or used: nobody needs it.
    if let digest {
      guard let token = try MailTokenTable.find(digest, in: tx), token.used == nil else {
        return nil
      }
    }
    switch order.recipient {
    case .holder(let key):
      // A disabled account gets no mail that it could do nothing about.
      guard let user = try UserTable.holder(of: EmailAddress(key), in: tx),
        try DisablementTable.find(user.id, in: tx) == nil
      else {
        if let digest { try MailTokenTable.delete(digest, in: tx) }
        return nil
      }
      if let digest { try MailTokenTable.bind(digest, to: user.id, in: tx) }
      // Where the account's mail goes, and not what somebody typed.
      order.recipient = .address(user.email)
      order.kind = order.kind.whenSent(to: user)
      return (order, user, user.language)
    case .address(let address):
      // Not to an account that has no address.
      guard !address.isEmpty, let userID = order.userID,
        let user = try UserTable.find(userID, in: tx)
      else { return nil }
      if order.kind == .invitation {
        return try resolve(invitation: order, to: EmailAddress(address), from: user, in: tx)
      }
      if order.kind == .changeEmail,
        try UserTable.isTaken(EmailAddress(address), exceptBy: userID, now: now, in: tx)
      {
        if let digest { try MailTokenTable.delete(digest, in: tx) }
        order.kind = .addressInUse
        order.token = ""
      }
      order.kind = order.kind.whenSent(to: user)
      return (order, user, user.language)
    }
  }

  /// An invitation says who invites by the address that they have proven, not by a name that they chose.
  private func resolve(
    invitation order: MailOrder,
    to address: EmailAddress,
    from inviter: UserRecord,
    in tx: borrowing WriteTransaction
  ) throws -> (MailOrder, UserRecord, language: String)? {
    guard inviter.isEmailVerified else { return nil }
    var order = order
    order.values["inviter"] = inviter.email
    guard let invited = try UserTable.holder(of: address, in: tx) else {
      return (order, inviter, inviter.language)
    }
    order.recipient = .address(invited.email)
    return (order, inviter, invited.language)
  }

  // MARK: - Ending

  /// Says what became of attempts.
  func end(
    _ ended: [(MailAttempt, MailOutcome)],
    in tx: borrowing WriteTransaction
  ) throws {
    let now = clock.now
    for (attempt, outcome) in ended {
      let (mail, number) = (attempt.record, attempt.number)
      switch outcome {
      case .sent:
        try MailTable.finish(mail.id, .sent, error: "", now: now, in: tx)
        metrics.sent.series("sent").increment()
      case .refused(let reason):
        try abandon(mail, reason, "refused", now, in: tx)
      case .failed(let reason) where number >= countMax:
        try abandon(mail, "\(number) attempts; the last: \(reason)", "refused", now, in: tx)
      case .failed(let reason):
        let (pause, error) = (Self.backoff.longest(after: number - 1), Self.shortened(reason))
        let due = now.addingSaturated(pause)
        try MailTable.retry(mail.id, attempt: number, due: due, error: error, in: tx)
        metrics.sent.series("failed").increment()
        guard number == 1 else { break }
        logger.warning(
          "could not send a mail; retrying",
          ["mail": .string(mail.id), "error": .string(error)]
        )
      }
    }
  }

  /// Ends a mail that will not be sent.
  private func abandon(
    _ mail: MailRecord,
    _ reason: String,
    _ outcome: String,
    _ now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let error = Self.shortened(reason)
    try MailTable.finish(mail.id, .dead, error: error, now: now, in: tx)
    metrics.sent.series(outcome).increment()
    logger.warning(
      "a mail was given up",
      ["mail": .string(mail.id), "kind": .string(mail.kind), "error": .string(error)]
    )
  }

  private static func shortened(_ reason: String) -> String {
    let oneLine: [Unicode.Scalar] = reason.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? " " : scalar
    }
    var text = ""
    for scalar in oneLine where text.utf8.count < errorByteCountMax {
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
