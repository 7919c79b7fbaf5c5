internal import ServiceKit

/// Sessions in the store.
enum SessionTable {
  private static let columns = """
    id, user_id, generation, rotated_at, created_at, idle_end, absolute_end, authenticated_at, \
    device_name, device_model, device_application, network, revoked_at, acr, amr
    """

  private static func record(_ row: borrowing Row) -> SessionRecord {
    var device = DeviceDescription()
    device.name = row.text(8)
    device.model = row.text(9)
    device.application = row.text(10)
    return SessionRecord(
      id: row.text(0),
      userID: row.text(1),
      refresh: RefreshState(
        generation: UInt32(clamping: row.integer(2)),
        rotated: row.integer(3),
        idleEnd: row.integer(5),
        absoluteEnd: row.integer(6),
        isRevoked: !row.isNull(12)
      ),
      created: row.integer(4),
      authenticated: row.integer(7),
      device: device,
      network: row.text(11),
      proof: SignInProof(
        acr: row.text(13),
        methods: row.text(14).split(separator: " ").map(String.init)
      )
    )
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> SessionRecord? {
    try tx.first("SELECT \(columns) FROM session WHERE id = ?", .text(id)) { record($0) }
  }

  /// Finds what `alive` does; the index `session_alive` is in its order.
  static let findAlive = """
    SELECT \(columns) FROM session
    WHERE user_id = ? AND revoked_at IS NULL AND idle_end > ? AND absolute_end > ?
    ORDER BY created_at DESC, id DESC
    """

  /// A user's sessions that are neither revoked nor over, newest first.
  static func alive(
    of userID: String,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [SessionRecord] {
    try tx.query(findAlive, .text(userID), .integer(now), .integer(now)) { record($0) }
  }

  /// Finds what `lastSeen` does.
  static let findLastSeen = """
    SELECT id, rotated_at FROM session
    WHERE user_id = ? AND revoked_at IS NULL AND idle_end > ? AND absolute_end > ?
    """

  /// A user's sessions that are neither revoked nor over, and when each was last refreshed.
  ///
  /// Every sign-in asks this, so it reads no more of them.
  static func lastSeen(
    of userID: String,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [(id: String, lastSeen: Int64)] {
    try tx.query(findLastSeen, .text(userID), .integer(now), .integer(now)) {
      ($0.text(0), $0.integer(1))
    }
  }

  static func insert(_ session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO session (\(columns), newest_issue)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)
      """,
      .text(session.id),
      .text(session.userID),
      .integer(Int64(session.refresh.generation)),
      .integer(session.refresh.rotated),
      .integer(session.created),
      .integer(session.refresh.idleEnd),
      .integer(session.refresh.absoluteEnd),
      .integer(session.authenticated),
      .text(session.device.name),
      .text(session.device.model),
      .text(session.device.application),
      .text(session.network),
      .text(session.proof.acr),
      .text(session.proof.methods.joined(separator: " ")),
      .integer(session.refresh.rotated)
    )
  }

  /// Writes what its refresh tokens say; revoking is done by `revoke`.
  static func update(_ session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE session SET generation = ?, rotated_at = ?, idle_end = ?,
        newest_issue = max(newest_issue, ?) WHERE id = ?
      """,
      .integer(Int64(session.refresh.generation)),
      .integer(session.refresh.rotated),
      .integer(session.refresh.idleEnd),
      .integer(session.refresh.rotated),
      .text(session.id)
    )
  }

  /// Writes how the user proved to be who they are, and when; a token is issued at that time.
  static func updateProof(of session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE session SET authenticated_at = ?1, newest_issue = max(newest_issue, ?1), acr = ?2, amr = ?3
      WHERE id = ?4
      """,
      .integer(session.authenticated),
      .text(session.proof.acr),
      .text(session.proof.methods.joined(separator: " ")),
      .text(session.id)
    )
  }

  /// Remembers that a token of a session was issued beside its generations: see `revoke`.
  static func noteIssue(of id: String, at now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE session SET newest_issue = max(newest_issue, ?) WHERE id = ?",
      .integer(now),
      .text(id)
    )
  }

  /// Revokes sessions of a user and tells the other services; gives those that lived.
  ///
  /// Each is remembered for as long as the newest token of the session could be accepted, even if
  /// that was issued by a clock that was ahead.
  static func revoke(
    _ ids: [String],
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    var revoked: [Revocation] = []
    for id in ids {
      let newestIssue = try tx.first(
        """
        UPDATE session SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL
        RETURNING newest_issue
        """,
        .integer(now),
        .text(id),
        .text(userID)
      ) { $0.integer(0) }
      guard let newestIssue else { continue }
      let forgetAt = max(now, newestIssue).addingSaturated(Revocation.lifetimeMin)
      try RevocationTable.insert(session: id, of: userID, forgetAt: forgetAt, in: tx)
      revoked.append(Revocation(.session(id), expires: forgetAt))
    }
    return revoked
  }

  /// Deletes sessions that ended before a time.
  static func prune(endedBefore time: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM session WHERE idle_end < ? OR absolute_end < ? OR revoked_at < ?",
      .integer(time),
      .integer(time),
      .integer(time)
    )
  }
}
