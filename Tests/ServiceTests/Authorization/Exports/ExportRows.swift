import ServiceKit

@testable import AuthService
@testable import EntitlementService
@testable import ServiceTesting
@testable import TenancyService

/// A row of each kind for a user, in the stores of the three services; the account itself is there already.
///
/// Texts contain `tag`, so that it can be told whose rows are told; what must not be told is `SECRET`.
struct ExportRows {
  let userID: String
  /// An operator, who gave roles and invited.
  let otherID: String
  let tag: String
  /// The user's address, as addresses are compared.
  let emailKey: String

  /// Adds them.
  func insert(into stage: ExportStage) async throws {
    try await stage.auth.core.store.writeOwn { tx in
      for sql in Self.auth { try insert(sql, tx) }
    }
    try await stage.tenancy.core.store.writeOwn { tx in
      for sql in Self.tenancy { try insert(sql, tx) }
    }
    try await stage.entitlement.core.store.writeOwn { tx in
      for sql in Self.entitlement { try insert(sql, tx) }
    }
  }

  /// Runs an INSERT with names for what differs; quoted, as none of them has a quote.
  private func insert(_ sql: String, _ tx: borrowing WriteTransaction) throws {
    let text = sql.replacing("USER", with: "'\(userID)'").replacing("OTHER", with: "'\(otherID)'")
      .replacing("EMAIL", with: "'\(emailKey)'").replacing("TAG", with: tag)
    try tx.execute(text)
  }

  private static let time = "1700000000000"

  private static let auth: [String] = [
    """
    INSERT INTO deletion (id, user_id, step, requested_at, erase_at, due_at, failed_count, cursor,
      addresses)
    VALUES ('del_TAG', USER, 'revoke', \(time), 4000000000000, 4000000000000, 0, '', CAST('SECRET' AS BLOB))
    """,
    """
    INSERT INTO identity (id, issuer, subject, provider, user_id, email, private_email, mail_stopped,
      linked_at, newest_token)
    VALUES ('idn_TAG', 'https://issuer.example', 'TAG', 'apple', USER, 'TAG@example.net', 0, 0, \(time), 0)
    """,
    """
    INSERT INTO passkey (id, credential_id, user_id, public_key, sign_count, backup_eligible, backed_up,
      transports, model, attestation, relying_party, name, address_proven, created_at)
    VALUES ('psk_TAG', CAST('SECRET TAG' AS BLOB), USER, CAST('SECRET' AS BLOB), 1, 1, 0, 'internal',
      CAST('SECRET' AS BLOB), 'none', 'example.com', 'TAG key', 1, \(time))
    """,
    """
    INSERT INTO totp (user_id, id, sealed, created_at, confirmed_at, last_step)
    VALUES (USER, 'totp_TAG', CAST('SECRET' AS BLOB), \(time), \(time), 0)
    """,
    """
    INSERT INTO pin (user_id, record, failures, last_at, until_at, changed_at)
    VALUES (USER, 'SECRET', 0, 0, 0, \(time))
    """,
    """
    INSERT INTO mail (id, kind, user_id, sealed, state, attempts, created_at, due_at, expires_at,
      finished_at, error)
    VALUES ('eml_TAG', 'changeEmail', USER, CAST('SECRET' AS BLOB), 3, 1, \(time), \(time), \(time),
      \(time), 'SECRET')
    """,
    """
    INSERT INTO mail_token (digest, purpose, user_id, address_key, address, session_id,
      was_verified, created_at, expires_at)
    VALUES (CAST('SECRET TAG' AS BLOB), 'changeEmail', USER, 'SECRET', 'TAG@example.net', '', 0,
      \(time), \(time))
    """,
  ]

  private static let tenancy: [String] = [
    """
    INSERT INTO association (id, user_id, entity_id, role, valid_from, valid_until, granted_by,
      created_at, added, recurring, variant)
    VALUES ('asc_TAG', USER, 'sys_root', 'super_admin', \(time), \(time), OTHER, \(time), 1,
      '31 480 1080 Europe/Berlin', 'rdf_TAG')
    """,
    """
    INSERT INTO association_history (association_id, user_id, role, custom_role, entity_id,
      entity_type, entity_name, root_id, granted_by, began_at, ended_at)
    VALUES ('asc_TAG_past', USER, 'owner', '', 'ent_TAG', 'unit', 'TAG unit', 'prt_TAG', OTHER,
      \(time), \(time))
    """,
    """
    INSERT INTO suspension (user_id, note, suspended_by, suspended_at, revision)
    VALUES (USER, 'TAG note', OTHER, \(time), 1)
    """,
    """
    INSERT INTO past_suspension (user_id, began_at, ended_at) VALUES (USER, \(time), \(time))
    """,
    invitation("inv_TAG_sent", email: "'SECRET@example.com'", by: "USER", closedBy: "OTHER"),
    invitation("inv_TAG_received", email: "EMAIL", by: "OTHER", closedBy: "''"),
    invitation("inv_TAG_answered", email: "'SECRET@example.com'", by: "OTHER", closedBy: "USER"),
    """
    INSERT INTO pairing (id, family_id, child_id, device_id, device_name, user_id, issued_by,
      paired_at, association_id)
    VALUES ('par_TAG', 'sys_root', 'sys_root', 'TAG device', 'TAG tablet', USER, OTHER, \(time), '')
    """,
    """
    INSERT INTO refusal (root_id, hour, actor, on_behalf_of, action, object, reason, count,
      first_at, last_at)
    VALUES ('prt_TAG', 1, 'user:' || USER, '', 'device.lock', 'dev_TAG', 'EXPIRED', 2, \(time),
      \(time))
    """,
    """
    INSERT INTO refusal (root_id, hour, actor, on_behalf_of, action, object, reason, count,
      first_at, last_at)
    VALUES ('prt_TAG', 1, 'svc://entitlement', 'user:' || USER, 'points.view', 'chd_TAG',
      'NO_ASSOCIATION', 1, \(time), \(time))
    """,
    """
    INSERT INTO document (user_id, collection, id, revision, created_at, updated_at, digest,
      byte_count, json)
    VALUES (USER, 'moods', 'TAG', 1, \(time), \(time), x'00', 9, '{"mood":"TAG","deep":[{"a":1}]}')
    """,
    """
    INSERT INTO legacy_document (collection, id, user_id, digest, byte_count, json)
    VALUES ('insights', 'TAG', USER, x'00', 2, '{"insight":"TAG"}')
    """,
    """
    INSERT INTO legacy_migration (user_id, collection, document_id, copied_count, skipped_count,
      started_at, finished_at) VALUES (USER, 'insights', 'TAG', 1, 0, \(time), NULL)
    """,
    audit(by: "'user:' || USER", "device.lock", "dev_TAG", "'TAG by itself'"),
    audit(by: "USER", "device.unlock", "dev_TAG", "'TAG before 0.3'"),
    audit(
      by: "'user:' || OTHER",
      "user.suspend",
      "USER",
      "'TAG and ' || OTHER || '.'",
      quoted: false
    ),
  ]

  private static let entitlement: [String] = [
    """
    INSERT INTO subscription (kind, id, tier, is_trial, valid_from, paid_until, grace_until,
      complimentary_until) VALUES ('user', USER, 'TAG', 1, \(time), \(time), NULL, NULL)
    """,
    "INSERT INTO subscription_addon VALUES ('user', USER, 'TAG', NULL)",
    """
    INSERT INTO subscription_override (kind, id, place, feature, value_kind, value, valid_until,
      reason) VALUES ('user', USER, 0, 'TAG', 'flag', 1, NULL, 'TAG')
    """,
    """
    INSERT INTO scheduled_change (kind, subject_id, id, effective_at, tier, paid_until)
    VALUES ('user', USER, 'sch_TAG', \(time), 'TAG', NULL)
    """,
    "INSERT INTO redemption VALUES ('user', USER, 'TAG', \(time), \(time), 'TAG')",
    """
    INSERT INTO entitlement_change (kind, id, version, place, occurs_at, is_planned, cause, effect,
      part, name, ends_at, request_id)
    VALUES ('user', USER, 1, 0, \(time), 0, 'TAG', 'begin', 'tier', 'TAG', NULL, 'req_TAG')
    """,
    "INSERT INTO metered_usage VALUES ('user', USER, 'TAG', 'day', \(time), 3)",
    """
    INSERT INTO purchase (store, environment, original_transaction_id, id, transaction_id, product_id,
      is_renewed, is_family_shared, purchased_at, is_unshared, signed_at, named_user_id,
      customer_reference, payload_digest, leaf_serial, is_test, transfer_count, transfers_since)
    VALUES ('apple', 'Production', 'TAG', 'pur_TAG', 'TAG', 'TAG', 0, 1, \(time), 0, \(time), 'SECRET',
      'SECRET', 'SECRET', 'SECRET', 0, 0, 0)
    """,
    """
    INSERT INTO purchase_binding VALUES ('apple', 'Production', 'TAG', 'user', USER, USER, \(time),
      NULL, NULL)
    """,
    """
    INSERT INTO points_entry (holder, number, transaction_id, kind, app, debit, credit, points,
      minutes, points_per_minute, reward, reversed_id, balance, actor_id, occurred_at)
    VALUES ('chd_TAG', 1, 'ptx_TAG', 'earn', 'TAG', 'issued', 'TAG', 5, 1, 5, '', NULL, 5, USER,
      \(time))
    """,
    audit(by: "'user:' || USER", "points.earn", "ptx_TAG", "'TAG'", scope: "chd_TAG"),
    """
    INSERT INTO points_request (id, holder, reward, state, hold_id, requested_by, requested_at, expires_at,
      decided_by, decided_at, transaction_id)
    VALUES ('prq_TAG', 'chd_TAG', 'TAG', 'approved', 'ptx_TAG', USER, \(time), \(time), 'SECRET', \(time),
      'ptx_TAG')
    """,
    audit(by: "'user:' || USER", "points.request", "prq_TAG", "'TAG'", scope: "chd_TAG"),
  ]

  private static func invitation(
    _ id: String,
    email: String,
    by inviter: String,
    closedBy closer: String
  ) -> String {
    """
    INSERT INTO invitation (id, entity_id, role, email, email_key, expires_at, invited_by,
      inviter_acr, code_key, code_digest, created_at, state, closed_at, closed_by, association_id)
    VALUES ('\(id)', 'sys_root', 'tenant', \(email), \(email), \(time), \(inviter), 'pwd',
      CAST('SECRET' AS BLOB), CAST('SECRET' AS BLOB), \(time), 'accepted', NULL, \(closer), '')
    """
  }

  private static func audit(
    by actor: String,
    _ action: String,
    _ object: String,
    _ detail: String,
    scope: String = "prt_TAG",
    quoted: Bool = true
  ) -> String {
    """
    INSERT INTO audit_log (recorded_at, actor, on_behalf_of, request_id, action, object, scope,
      outcome, before_digest, after_digest, detail)
    VALUES (\(time), \(actor), NULL, 'req_TAG', '\(action)', \(quoted ? "'\(object)'" : object),
      '\(scope)', 'done', CAST('SECRET' AS BLOB), NULL, \(detail))
    """
  }
}
