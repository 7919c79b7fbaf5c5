internal import ServiceKit

/// The export plan of AuthService: the data of a user that it exports, and the data it keeps and leaves out.
///
/// docs/guides/export.md has the same for users; schemas/account-export.schema.json describes the records.
enum AuthExport {
  static let plan = ExportPlan(
    [
      account, sessions, mails, mailTokens, exports, pins, authenticators, passkeys, identities,
      deletions,
    ],
    withheld: withheld
  )

  private static let account = ExportSection(
    "account",
    of: "account",
    from: "account LEFT JOIN credential ON credential.user_id = account.id",
    where: "account.id = ?1",
    by: [.text("account.id")],
    [
      .text("id"), .text("email"), .boolean("email_verified"), .text("display_name"),
      .text("first_name"), .text("last_name"), .text("language"), .text("photo_url"),
      .text("time_zone"), .json("settings"), .json("activities"), .text("default_portfolio"),
      .text("default_property"), .text("default_unit"), .instant("created_at"),
      .instant("updated_at"), .instant("password_changed_at", from: "credential.changed_at"),
    ]
  )

  /// Those that were not ended; ended ones are deleted after a week.
  private static let sessions = ExportSection(
    "sessions",
    of: "session",
    where: "user_id = ?1 AND revoked_at IS NULL",
    by: [.integer("created_at"), .text("id")],
    [
      .text("id"), .instant("created_at"), .instant("authenticated_at"),
      .instant("last_seen_at", from: "session.rotated_at"), .instant("idle_end"),
      .instant("absolute_end"), .text("device_name"), .text("device_model"),
      .text("device_application"), .text("network"), .text("acr"), .text("amr"),
      .text("child_device"), .text("pairing"),
    ]
  )

  private static let mails = ExportSection(
    "mails",
    of: "mail",
    where: "user_id = ?1",
    by: [.text("id")],
    [
      .text("id"), .text("kind"),
      ExportColumn(
        "state",
        .text,
        "CASE mail.state WHEN 1 THEN 'queued' WHEN 2 THEN 'sending' WHEN 3 THEN 'sent' ELSE 'dead' END",
        of: "mail.state"
      ),
      .instant("created_at"), .instant("expires_at"), .instant("finished_at"),
    ]
  )

  private static let mailTokens = ExportSection(
    "mail_tokens",
    of: "mail_token",
    where: "user_id = ?1",
    by: [.integer("created_at"), .blob("digest")],
    [
      .text("purpose"), .text("address"), .text("session_id"), .boolean("was_verified"),
      .instant("created_at"), .instant("expires_at"), .instant("used_at"),
    ]
  )

  private static let exports = ExportSection(
    "exports",
    of: "account_export",
    where: "user_id = ?1",
    by: [.text("user_id")],
    [.instant("window_began_at"), .integer("begun_count"), .instant("completed_at")]
  )

  private static let pins = ExportSection(
    "pins",
    of: "pin",
    where: "user_id = ?1",
    by: [.text("user_id")],
    [.instant("changed_at")]
  )

  private static let authenticators = ExportSection(
    "authenticators",
    of: "totp",
    where: "user_id = ?1",
    by: [.text("user_id")],
    [.text("id"), .instant("created_at"), .instant("confirmed_at")]
  )

  private static let passkeys = ExportSection(
    "passkeys",
    of: "passkey",
    where: "user_id = ?1",
    by: [.integer("created_at"), .text("id")],
    [
      .text("id"), .text("name"), .text("relying_party"), .text("transports"), .text("attestation"),
      .boolean("backup_eligible"), .boolean("backed_up"), .boolean("address_proven"),
      .instant("created_at"), .instant("last_used_at"), .instant("counter_fell_at"),
    ]
  )

  private static let identities = ExportSection(
    "identities",
    of: "identity",
    where: "user_id = ?1",
    by: [.integer("linked_at"), .text("id")],
    [
      .text("id"), .text("provider"), .text("issuer"), .text("subject"), .text("email"),
      .boolean("private_email"), .boolean("mail_stopped"), .instant("linked_at"),
      .instant("used_at"), .instant("withdrawn_at"),
    ]
  )

  private static let deletions = ExportSection(
    "deletions",
    of: "deletion",
    where: "user_id = ?1",
    by: [.text("id")],
    [
      .text("id"), .text("step"), .instant("requested_at"), .instant("erase_at"),
      .instant("finished_at"),
    ]
  )

  // MARK: Left out

  private static let ownID = "the user's own identifier, which the document has once"
  private static let secret = "a secret, or what a secret is compared with"
  private static let addressKey = "the address in lower case"
  private static let delivery = "how often delivery was tried, for operators"

  private static let withheld = [
    "erased": "keyed digests of what was deleted, which name nobody",
    "account.revision": "counts changes of the account",
    "account.proven_at": "when the address was verified, which audit tells",
    "deletion.addresses": "sealed; the account and mail_tokens have them",
    "deletion.cursor": "how far a step has come",
    "deletion.failed_count": "how often a step was tried",
    "deletion.due_at": "when the next step is tried",
    "deletion.user_id": ownID,
    "import_run": "how far an import has come; names no user",
    "imported_user": "which row of an import an account came from",
    "apple_grant": secret,
    "identity_notification": "which notifications of providers were received",
    "password_work": "how costly the hashes in the store are; names no user",
    "used_nonce": "digests of nonces that were used; name nobody",
    "passkey_ceremony": "challenges that nobody has answered yet; live for minutes",
    "passkey_user": "a random name that authenticators know the user by",
    "pending_sign_in": "a sign-in that waits for its second factor; lives for minutes",
    "recovery_code": secret,
    "identity.newest_token": "keeps older tokens from being used again",
    "identity.user_id": ownID,
    "passkey.model": "the model of the authenticator, as a number",
    "passkey.sign_count": "tells copies of an authenticator",
    "passkey.public_key": "a key, which is of use to nobody but this service",
    "passkey.credential_id": "the name by authenticators, which could identify a browser",
    "passkey.user_id": ownID,
    "totp.last_step": secret,
    "totp.sealed": secret,
    "totp.user_id": ownID,
    "account.name_version": "counts changes of the display name",
    "pin.until_at": "counts of wrong PINs",
    "pin.last_at": "counts of wrong PINs",
    "pin.failures": "counts of wrong PINs",
    "pin.record": secret,
    "pin.user_id": ownID,
    "child_account": "which child it was made for; TenancyService's part has the roles",
    "family_pin": "PINs of families, which belong to nobody alone",
    "family_pin_attempt": "counts of wrong PINs",
    "signing_key": secret,
    "account_change": "changes requested of operators; the account's address got a mail about each",
    "disabled_user": "only of accounts that are disabled, which nobody can sign in to",
    "account_report": "whether TenancyService knows that the account is to be deleted",
    "attempt": "counts of failed attempts under keyed digests, which name no account",
    "revocation": "tells other services for some minutes which sessions were ended",
    "account.email_key": addressKey,
    "account.session_endings": "a count that ends sign-ins that are under way",
    "credential.user_id": ownID,
    "credential.password": secret,
    "credential.version": "a count that ends sign-ins that are under way",
    "session.user_id": ownID,
    "session.generation": "a part of what refresh tokens are made of",
    "session.attempt": "a digest of random bits that the application made for its newest refresh",
    "session.earlier_attempts": "the same of the refreshes before it",
    "session.repeats": "how often the answer to the newest refresh was asked for again",
    "session.newest_issue": "says how long an end of the session has to be remembered",
    "session.revoked_at": "ended sessions are left out, and are deleted after a week",
    "mail.user_id": ownID,
    "mail.sealed": "what the mail says; wiped once it was sent",
    "mail.holder": "whose share of the outbox it takes, keyed so that it names nobody",
    "mail.attempts": delivery,
    "mail.due_at": delivery,
    "mail.error": delivery,
    "mail_token.user_id": ownID,
    "mail_token.digest": secret,
    "mail_token.address_key": addressKey,
    "account_export.user_id": ownID,
  ]
}
