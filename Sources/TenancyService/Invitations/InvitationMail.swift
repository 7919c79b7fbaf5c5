internal import RPCKit
internal import ServiceKit

/// A mail with the code of an invitation that nobody has taken yet, as the store keeps it.
///
/// The row is the only place that has the code, sealed, and goes when the mail was taken or is of no use.
struct InvitationMail: Sendable {
  let invitation: InvitationRecord
  /// The code, sealed for the invitation.
  let sealed: [UInt8]
  /// Attempts that failed.
  let attemptCount: Int64

  /// Adds one that is due now.
  static func insert(
    _ invitationID: String,
    sealed: [UInt8],
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "INSERT INTO invitation_mail (invitation_id, sealed, attempts, due_at) VALUES (?, ?, 0, ?)",
      .text(invitationID),
      .blob(sealed),
      .integer(tx.now)
    )
  }

  /// Those whose time has come, longest due first.
  ///
  /// One that is due later than `horizon` was postponed by a clock that ran ahead, and counts as due.
  static func due(
    now: Int64,
    horizon: Int64,
    limit: Int,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [InvitationMail] {
    let rows = try tx.query(
      """
      SELECT invitation_id, sealed, attempts FROM invitation_mail WHERE due_at <= ? OR due_at > ?
      ORDER BY due_at, invitation_id LIMIT ?
      """,
      .integer(now),
      .integer(horizon),
      .integer(limit)
    ) { ($0.text(0), $0.blob(1), $0.integer(2)) }
    var mails: [InvitationMail] = []
    for (id, sealed, attemptCount) in rows {
      // There is no mail without an invitation: its key is a foreign one.
      guard let invitation = try InvitationRecord.find(id, tx) else { continue }
      mails.append(
        InvitationMail(invitation: invitation, sealed: sealed, attemptCount: attemptCount)
      )
    }
    return mails
  }

  /// How many wait.
  static func count(_ tx: borrowing some StoreTransaction & ~Copyable) throws -> Int {
    try tx.first("SELECT count(*) FROM invitation_mail") { Int($0.integer(0)) } ?? 0
  }

  /// Has it wait after an attempt that failed.
  static func postpone(_ invitationID: String, due: Int64, _ tx: borrowing WriteTransaction) throws
  {
    try tx.execute(
      "UPDATE invitation_mail SET attempts = attempts + 1, due_at = ? WHERE invitation_id = ?",
      .integer(due),
      .text(invitationID)
    )
  }

  /// Forgets one, and the code with it.
  static func delete(_ invitationID: String, _ tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM invitation_mail WHERE invitation_id = ?",
      .text(invitationID)
    )
  }
}
