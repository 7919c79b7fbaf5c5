internal import ServiceKit

/// Sessions in the store.
enum SessionTable {
  static let columns = RecordColumns<SessionRecord>(
    "session",
    beside: ["newest_issue"],
    .text("id", \.id),
    .text("user_id", \.userID),
    .integer("generation") { Int64($0.refresh.generation) },
    .integer("rotated_at", \.refresh.rotated),
    .integer("idle_end", \.refresh.idleEnd),
    .integer("absolute_end", \.refresh.absoluteEnd),
    // Written by `revoke` alone.
    .optionalInteger("revoked_at") { _ in nil },
    .optionalBlob("attempt", \.refresh.attempt),
    .optionalBlob("earlier_attempts", \.refresh.earlierAttempts.stored),
    .integer("repeats", \.refresh.repeatCount),
    .integer("created_at", \.created),
    .integer("authenticated_at", \.authenticated),
    .text("device_name", \.device.name),
    .text("device_model", \.device.model),
    .text("device_application", \.device.application),
    .text("network", \.network),
    .text("acr", \.proof.acr),
    .text("amr", \.proof.amr),
    .text("child_device", \.childDevice),
    .text("pairing", \.pairingID)
  ) { row in
    SessionRecord(
      id: row.text(),
      userID: row.text(),
      refresh: RefreshState(
        generation: UInt32(clamping: row.integer()),
        rotated: row.integer(),
        idleEnd: row.integer(),
        absoluteEnd: row.integer(),
        isRevoked: row.optionalInteger() != nil,
        attempt: row.optionalBlob(),
        earlierAttempts: EarlierAttempts(stored: row.optionalBlob()),
        repeatCount: row.integer()
      ),
      created: row.integer(),
      authenticated: row.integer(),
      device: DeviceDescription(
        name: row.text(),
        model: row.text(),
        application: row.text()
      ),
      network: row.text(),
      proof: SignInProof(acr: row.text(), amr: row.text()),
      childDevice: row.text(),
      pairingID: row.text()
    )
  }

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> SessionRecord? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// Finds what `alive` does; the index `session_alive` is in its order.
  static let findAlive = """
    \(columns.selection)
    WHERE user_id = ? AND revoked_at IS NULL AND idle_end > ? AND absolute_end > ?
    ORDER BY created_at DESC, id DESC
    """

  /// A user's sessions that are neither revoked nor over, newest first.
  static func alive(
    of userID: String,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [SessionRecord] {
    try tx.query(findAlive, .text(userID), .integer(now), .integer(now)) { try columns.record($0) }
  }

  /// The session that was begun with a pairing of a child's device, if it has not been revoked.
  static func find(
    ofPairing id: String,
    in tx: borrowing some Queryable
  ) throws -> [SessionRecord] {
    try tx.query(columns, "WHERE pairing = ? AND pairing <> '' AND revoked_at IS NULL", .text(id))
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
    in tx: borrowing some Queryable
  ) throws -> [(id: String, lastSeen: Int64)] {
    try tx.query(findLastSeen, .text(userID), .integer(now), .integer(now)) {
      ($0.text(0), $0.integer(1))
    }
  }

  static func insert(_ session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(session, columns, beside: .integer(session.refresh.rotated))
  }

  /// Writes what its refresh tokens say; revoking is done by `revoke`.
  static func update(_ session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE session SET generation = ?, rotated_at = ?, idle_end = ?, attempt = ?,
        earlier_attempts = ?, repeats = ?,
        newest_issue = CASE WHEN newest_issue < ? THEN ? ELSE newest_issue END WHERE id = ?
      """,
      .integer(Int64(session.refresh.generation)),
      .integer(session.refresh.rotated),
      .integer(session.refresh.idleEnd),
      .optionalBlob(session.refresh.attempt),
      .optionalBlob(session.refresh.earlierAttempts.stored),
      .integer(session.refresh.repeatCount),
      .integer(session.refresh.rotated),
      .integer(session.refresh.rotated),
      .text(session.id)
    )
  }

  /// Writes how the user proved to be who they are, and when; a token is issued at that time.
  static func updateProof(of session: SessionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE session SET authenticated_at = ?1, acr = ?2, amr = ?3,
        newest_issue = CASE WHEN newest_issue < ?1 THEN ?1 ELSE newest_issue END WHERE id = ?4
      """,
      .integer(session.authenticated),
      .text(session.proof.acr),
      .text(session.proof.amr),
      .text(session.id)
    )
  }

  /// Remembers that a token of a session was issued beside its generations: see `revoke`.
  static func noteIssue(of id: String, at now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE session SET newest_issue = ?1 WHERE id = ?2 AND newest_issue < ?1",
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
