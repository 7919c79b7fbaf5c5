internal import RPCKit
internal import ServiceKit

/// A password that was right.
struct VerifiedPassword: Sendable {
  /// The user.
  let user: UserRecord
  /// The record it was checked against, as the store had it.
  let stored: String
  /// The same, as it was read.
  let record: StoredPassword
  /// The basis that must still hold when something is written because of it.
  let basis: SignInBasis
  /// The key that the attempt was counted under.
  let subject: [UInt8]

  /// Forgets the attempts before it, in the write that relies on it; throws CALL_OVERTAKEN when the password has
  /// changed since.
  func settle(in tx: borrowing WriteTransaction) throws {
    guard try UserTable.basis(of: user.id, in: tx)?.passwordVersion == basis.passwordVersion else {
      throw AuthError.overtaken
    }
    try AttemptTable.clear(subject, .password, in: tx)
  }
}

extension AuthCore {
  /// Counts an attempt, then checks it; nil when it was wrong or came too early.
  ///
  /// Counted first, so that many guesses at once do not all find the counter low. For strangers the
  /// work is the same whether the address is known, the password right or the attempt too early. A
  /// device or session that comes too early knows all of that, and costs no hash: it must not be able
  /// to fill the lane of those who are trusted.
  func verify(
    _ password: String,
    of email: EmailAddress,
    _ subject: AttemptSubject,
    _ permit: HashPool.Permit,
    _ call: CallContext
  ) async throws -> VerifiedPassword? {
    let now = clock.now
    let outbox = outbox
    let (reservation, found) = try await store.write(call, heads: .any) { tx in
      // Before anything is written.
      let found = try UserTable.findForSignIn(email, in: tx)
      let reservation = try AttemptTable.reserve(subject.digest, .password, now: now, in: tx)
      if reservation.isToldOf {
        // To anyone who has the address, if anybody does: the outbox finds out.
        let notice = MailOrder(
          .signInsRefused,
          to: .holder(ofKey: email.key),
          values: ["time": MailDate.short(now)]
        )
        try outbox.queue(notice, in: tx)
      }
      return (reservation, found)
    }
    if reservation.isToldOf { outbox.wake() }
    let isInTime = reservation.isInTime
    guard isInTime || !subject.isKnown else { return nil }
    let stored = found?.password
    let record = found.flatMap { found in
      found.password.flatMap { StoredPassword($0, of: found.user.id, secrets.sealing) }
    }
    let hasher = hasher
    try await passwordWork.note(record?.step)
    let work = passwordWork.work
    let isRight = try await pool.run(permit) {
      try hasher.check(password, stored: record, work, sparesRight: isInTime)
    }
    guard isInTime, isRight, let found, let stored, let record else { return nil }
    return VerifiedPassword(
      user: found.user,
      stored: stored,
      record: record,
      basis: found.basis,
      subject: subject.digest
    )
  }

  /// A new record for a password whose stored one is below today's cost or another system's; nil when it is
  /// neither, or did not see all of the password, or when the threads are too busy, which can wait for the next sign-in.
  func replacement(for verified: VerifiedPassword, password: String) async -> String? {
    guard hasher.isOutdated(verified.record, for: password) else { return nil }
    let hasher = hasher
    do {
      let permit = try pool.reserve(.trusted, for: HashShare(user: verified.user.id))
      return try await pool.run(permit) { try hasher.record(of: password).text }
    } catch {
      logger.debug("could not rehash a password", ["error": "\(error)"])
      return nil
    }
  }
}
