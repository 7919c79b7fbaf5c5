internal import RPCKit
internal import ServiceKit

/// How a deletion begins and ends for the account.
extension DeletionSaga {
  /// Begins the deletion of a user's account in the write that asks for it, and ends all sessions; gives the
  /// deletion that is there, and the sessions that lived, to be announced after the commit.
  ///
  /// Call `wake` after the commit, so that the saga looks at it, and wake the outbox, which has the mail
  /// that says how to take it back. `actor` is who asks, if that is not who makes the call; without `waiting` it
  /// cannot be taken back.
  func begin(
    of user: UserRecord,
    now: Int64,
    by actor: AuditActor? = nil,
    waiting: Bool = true,
    in tx: borrowing WriteTransaction
  ) throws -> (deletion: DeletionRecord, ended: [Revocation]) {
    let ended = try core.endAllSessions(of: user.id, now: now, in: tx)
    if let begun = try DeletionTable.find(of: user.id, in: tx) { return (begun, ended) }
    let eraseAt = waiting ? now.addingSaturated(grace) : now
    let deletion = DeletionRecord(
      id: core.identifiers.make(.deletion),
      userID: user.id,
      step: .waiting,
      requested: now,
      eraseAt: eraseAt,
      due: eraseAt
    )
    let address = user.address
    let addresses = address.text.isEmpty ? [] : Set([address.text, address.key]).sorted()
    try DeletionTable.insert(
      deletion,
      addresses: core.secrets.sealing.seal(
        Array(addresses.joined(separator: "\n").utf8),
        for: Self.purpose(ofDeletion: deletion.id),
        random: core.random
      ),
      in: tx
    )
    if eraseAt > now {
      let notice = MailOrder.notice(.deletionBegun, to: user, now: eraseAt)
      try core.outbox.queue(notice, expires: eraseAt, in: tx)
    }
    try tx.audit("user.delete", object: user.id, detail: deletion.id, by: actor)
    return (deletion, ended)
  }

  /// Queues the last mail to a user, in the write that erases the address: the mail keeps it until it was sent
  /// or given up, and the account's row stays until then.
  func queueFarewell(to userID: String, now: Int64, in tx: borrowing WriteTransaction) throws {
    guard let user = try UserTable.find(userID, in: tx) else { return }
    // Nobody would get it.
    guard try !IdentityTable.isMailStopped(to: user.address, of: userID, in: tx) else {
      return
    }
    var farewell = MailOrder.notice(.deletionDone, to: user, now: now)
    farewell.language = user.language
    try core.outbox.queue(farewell, expires: now.addingSaturated(Self.farewellMax), in: tx)
  }

  /// The addresses that an account had when its deletion began; none once everything is erased, or when the
  /// sealing key was replaced since.
  func addresses(of deletion: DeletionRecord, in tx: borrowing some Queryable) throws -> [String] {
    guard let sealed = try DeletionTable.addresses(of: deletion.id, in: tx), !sealed.isEmpty else {
      return []
    }
    do {
      let opened = try core.secrets.sealing.open(sealed, for: Self.purpose(ofDeletion: deletion.id))
      return String(decoding: opened, as: UTF8.self).split(separator: "\n").map(String.init)
    } catch {
      core.logger.warning(
        "the addresses of a deletion cannot be read with this sealing key",
        ["deletion": .string(deletion.id)]
      )
      return []
    }
  }

  private static func purpose(ofDeletion id: String) -> String { "addresses of \(id)" }
}
