internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Turns roles that a person gave to an account which has not proven its address into invitations, once after
/// the upgrade that no longer gives roles to addresses (docs/decisions/0193).
///
/// The migration has queued every role that one user has from another. Each is looked at for itself, and its end,
/// its invitation and its place in the queue change in one transaction; so the review continues after a restart,
/// and does nothing twice. While AuthService cannot say who has proven an address, it waits.
final class RoleReview: Sendable {
  /// The outcome of a role, as the store and the metric call it.
  enum Outcome: String, CaseIterable, Sendable {
    /// It is an invitation now.
    case converted
    /// It stays: the address is proven, or there is none, or nobody else gave the role.
    case kept
    /// It stays although the address is not proven: nobody else has it who can act by it for good.
    case keptLast = "kept_last"
  }

  /// The first and the longest pause while AuthService cannot be asked, in seconds.
  private static let pauses: ClosedRange<Int64> = 1...60
  /// Roles that are read at a time.
  private static let batchCount = 100

  private let core: TenancyCore
  private let metrics: InvitationMetrics
  /// Whether the last attempt failed, so that only the first failure is logged.
  private let isFailing = Lock(false)

  init(_ core: TenancyCore) {
    self.core = core
    metrics = InvitationMetrics(core.metrics)
  }

  /// Reviews what waits, until nothing does or the task is cancelled.
  func run(on loop: any EventLoop) async {
    var pause = Self.pauses.lowerBound
    while !Task.isCancelled {
      do {
        try await drain()
        return
      } catch is CancellationError {
        return
      } catch {
        let wasFailing = isFailing.withLock { isFailing in
          defer { isFailing = true }
          return isFailing
        }
        if !wasFailing {
          core.logger.warning(
            "roles given by address cannot be reviewed yet; retrying",
            ["error": "\(error)"]
          )
        }
        await loop.sleep(.seconds(pause))
        pause = min(pause * 2, Self.pauses.upperBound)
      }
    }
  }

  /// Reviews everything that waits, and says how it ended; throws when AuthService cannot be asked.
  func drain() async throws {
    while true {
      let waiting = try await core.store.database.read { tx in try Self.waiting(tx) }
      guard !waiting.isEmpty else { break }
      for id in waiting {
        try Task.checkCancellation()
        try await review(id)
      }
    }
    try await finish()
  }

  private func review(_ id: String) async throws {
    let held = try await core.store.database.read { tx -> AssociationRecord? in
      guard let held = try AssociationTable.find(id, in: tx), try Self.isGivenByAnother(held, tx)
      else {
        return nil
      }
      return held.isOver(at: self.core.clock.now) ? nil : held
    }
    var unproven: EmailAddress?
    if let held, let address = try await core.users.address(of: held.userID), !address.isVerified,
      !address.email.text.isEmpty
    {
      unproven = address.email
    }
    let (core, email) = (core, unproven)
    let nobody = ChangeSet(core: core, call: nil, user: .named(""))
    let outcome = try await core.changeOwn(as: .migration) { tx in
      var outcome = Outcome.kept
      // As it is now: it may have ended in between, or have another window.
      if let email, let held = try AssociationTable.find(id, in: tx) {
        outcome = try nobody.convert(held, to: email, tx)
      }
      try Self.settle(id, outcome, tx)
      return outcome
    }
    metrics.reviewedRoles.increment(outcome)
    if outcome == .converted { core.mailer?.wake() }
  }

  /// Logs how the review ended, and forgets what it looked at; nothing if there was nothing.
  private func finish() async throws {
    let counts = try await core.store.database.read { tx in try Self.counts(tx) }
    guard !counts.isEmpty else { return }
    func count(_ outcome: Outcome) -> Int { counts[outcome.rawValue] ?? 0 }
    // Twice rather than never, if the process ends here.
    core.logger.info(
      "roles_given_by_address reviewed",
      [
        "reviewed": .init(counts.values.reduce(0, +)),
        "converted": .init(count(.converted)),
        "kept": .init(count(.kept)),
        "kept_last": .init(count(.keptLast)),
      ]
    )
    try await core.changeOwn { tx in try tx.execute("DELETE FROM role_review") }
  }
}

extension RoleReview {
  /// Queues what one user has from another, and makes room for what becomes an invitation.
  static let migration = Migration(
    version: 17,
    sql: """
      CREATE TABLE role_review (
        association_id TEXT PRIMARY KEY,
        place INTEGER NOT NULL,
        outcome TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX role_review_waiting ON role_review (place) WHERE outcome = '';
      INSERT INTO role_review SELECT id, added, '' FROM association
        WHERE granted_by <> '' AND granted_by <> user_id AND entity_id <> 'sys_root';
      CREATE TABLE converted_role (
        association_id TEXT PRIMARY KEY,
        user_id TEXT NOT NULL,
        entity_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        variant TEXT NOT NULL,
        valid_from INTEGER,
        valid_until INTEGER,
        recurring TEXT,
        granted_by TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        invitation_id TEXT NOT NULL REFERENCES invitation (id) ON DELETE CASCADE,
        converted_at INTEGER NOT NULL,
        restored_at INTEGER,
        restored_as TEXT NOT NULL
      );
      CREATE INDEX converted_role_by_entity ON converted_role (entity_id);
      CREATE INDEX converted_role_by_invitation ON converted_role (invitation_id);
      """
  )

  /// The first of those that wait, in the order in which they were given.
  private static func waiting(_ tx: borrowing some Queryable) throws -> [String] {
    try tx.query(
      "SELECT association_id FROM role_review WHERE outcome = '' ORDER BY place LIMIT ?",
      .integer(batchCount)
    ) { $0.text(0) }
  }

  private static func settle(
    _ id: String,
    _ outcome: Outcome,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE role_review SET outcome = ? WHERE association_id = ?",
      .text(outcome.rawValue),
      .text(id)
    )
  }

  private static func counts(_ tx: borrowing some Queryable) throws -> [String: Int] {
    let rows = try tx.query("SELECT outcome, count(*) FROM role_review GROUP BY outcome") {
      ($0.text(0), Int($0.integer(1)))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// Whether a user has a role because another person gave it, who was no operator, and not because the user
  /// accepted an invitation or a code.
  ///
  /// The audit log says who accepted. Where it is too old to say it, the role counts as given: an address that
  /// was never proven must not keep it.
  static func isGivenByAnother(
    _ held: AssociationRecord,
    _ tx: borrowing some Queryable
  ) throws -> Bool {
    guard !held.grantedBy.isEmpty, held.grantedBy != held.userID else { return false }
    let isByOperator = try tx.exists(
      """
      SELECT 1 FROM association_history WHERE user_id = ? AND entity_id = ? AND role = ?
        AND began_at <= ? AND (ended_at IS NULL OR ended_at > ?)
      """,
      .text(held.grantedBy),
      .text(Forest.systemIdentifier),
      .text(BuiltIn.superAdmin),
      .integer(held.createdAt),
      .integer(held.createdAt)
    )
    guard !isByOperator else { return false }
    let isAccepted = try tx.exists(
      """
      SELECT 1 FROM audit_log WHERE object = ?1 AND detail = ?2 AND action IN (?3, ?4)
        AND (actor = ?5 OR on_behalf_of = ?5)
      UNION ALL
      SELECT 1 FROM invitation
      WHERE entity_id = ?1 AND association_id = ?6 AND state = 'accepted' AND closed_by = ?7
      UNION ALL
      SELECT 1 FROM pairing WHERE user_id = ?7 AND association_id = ?6
      """,
      .text(held.entityID),
      .text("\(held.id) \(held.userID)"),
      .text("\(held.role).add"),
      .text("\(held.role).update"),
      .text(AuditActor.user(held.userID).name),
      .text(held.id),
      .text(held.userID)
    )
    return !isAccepted
  }
}
