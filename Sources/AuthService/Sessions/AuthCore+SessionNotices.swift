internal import ServiceKit

/// The notices of a session that was begun or ended.
extension AuthCore {
  /// Records that a session makes room for another one, and queues the mail that names it.
  func noteEviction(
    of id: String,
    by session: SessionRecord,
    of user: UserRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.audit("session.evict", object: id, detail: "by \(session.id)", by: .user(user.id))
    guard let evicted = try SessionTable.find(id, in: tx),
      let notice = sessionNotice(.sessionEvicted, of: evicted, to: user, now: session.created)
    else { return }
    try outbox.queue(notice, in: tx)
  }

  /// A mail that names a session by its device and network; nil when there were many of late.
  func sessionNotice(
    _ kind: MailKind,
    of session: SessionRecord,
    to user: UserRecord,
    now: Int64
  ) -> MailOrder? {
    guard case .taken = mailLimits.notices.take(Array(user.id.utf8), now: now) else { return nil }
    let device = [session.device.name, session.device.model].filter { !$0.isEmpty }
    return .notice(
      kind,
      to: user,
      now: now,
      values: [
        "device": device.isEmpty ? "-" : device.joined(separator: ", "),
        "network": session.network.isEmpty ? "-" : session.network,
      ]
    )
  }
}
