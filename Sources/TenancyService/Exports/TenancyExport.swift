internal import ServiceKit

/// The export plan of TenancyService: the data of a user that it exports, and the data it keeps and leaves out.
///
/// docs/guides/export.md has the same for users; schemas/account-export.schema.json describes the records.
enum TenancyExport {
  static let plan = ExportPlan(
    [roles, pastRoles, suspensions, pastSuspensions, sentInvitations, receivedInvitations]
      + [pairings, refusals] + documents,
    withheld: withheld
  )

  // MARK: Roles

  private static let roles = ExportSection(
    "roles",
    of: "association",
    from: "association JOIN entity ON entity.id = association.entity_id",
    where: "association.user_id = ?1",
    by: [.integer("association.added"), .text("association.id")],
    [
      .text("id"), .text("role"), .text("variant"), .text("entity_id"),
      .text("entity_type", from: "entity.type"), .text("entity_name", from: "entity.name"),
      .instant("valid_from"), .instant("valid_until"), .text("recurring"), .party("granted_by"),
      .instant("created_at"),
    ]
  )

  private static let pastRoles = ExportSection(
    "past_roles",
    of: "association_history",
    where: "user_id = ?1 AND ended_at IS NOT NULL",
    by: [.integer("ended_at"), .integer("sequence")],
    [
      .text("id", from: "association_history.association_id"), .text("role"), .text("variant"),
      .text("custom_role"), .text("entity_id"), .text("entity_type"), .text("entity_name"),
      .instant("valid_from"), .instant("valid_until"), .text("recurring"), .party("granted_by"),
      .instant("began_at"), .instant("ended_at"),
    ]
  )

  private static let suspensions = ExportSection(
    "suspensions",
    of: "suspension",
    where: "user_id = ?1",
    by: [.text("user_id")],
    [.text("note"), .party("suspended_by"), .instant("suspended_at")]
  )

  private static let pastSuspensions = ExportSection(
    "past_suspensions",
    of: "past_suspension",
    where: "user_id = ?1",
    by: [.integer("ended_at"), .integer("sequence")],
    [.instant("began_at"), .instant("ended_at")]
  )

  // MARK: Invitations and devices

  private static let sentInvitations = ExportSection(
    "sent_invitations",
    of: "invitation",
    where: "invited_by = ?1",
    by: [.text("id")],
    invitation
  )

  /// Those to the user's address, and those that the user answered with a code.
  private static let receivedInvitations = ExportSection(
    "received_invitations",
    of: "invitation",
    from: """
      (SELECT * FROM (SELECT * FROM invitation WHERE ?2 <> '' AND email_key = ?2 AND email_key <> ''
          AND id > ?4 ORDER BY id LIMIT ?3) AS addressed
        UNION SELECT * FROM (SELECT * FROM invitation WHERE closed_by = ?1 AND closed_by <> ''
          AND state IN ('accepted', 'declined') AND id > ?4 ORDER BY id LIMIT ?3) AS answered) AS invitation
      """,
    where: "true",
    by: [.text("id")],
    invitation
  )

  /// Without the address, which is somebody else's, or is known from the account.
  private static let invitation: [ExportColumn] = [
    .text("id"), .text("entity_id"), .text("role"), .instant("valid_from"), .instant("valid_until"),
    .text("recurring"), .instant("expires_at"), .party("invited_by"), .instant("created_at"),
    .text("state"),
    .instant("closed_at"), .party("closed_by"), .text("association_id"),
  ]

  private static let pairings = ExportSection(
    "pairings",
    of: "pairing",
    where: "user_id = ?1",
    by: [.text("id")],
    [
      .text("id"), .text("family_id"), .text("child_id"), .text("device_id"), .text("device_name"),
      .party("issued_by"), .instant("paired_at"), .text("association_id"),
    ]
  )

  private static let refusals = ExportSection(
    "refusals",
    of: "refusal",
    where: "actor = 'user:' || ?1 OR (on_behalf_of = 'user:' || ?1 AND on_behalf_of <> '')",
    by: ["root_id", "actor", "on_behalf_of", "action", "object", "reason"].reduce(
      into: [.integer("hour")]
    ) { $0.append(.text($1)) },
    [
      .text("root_id"), .instant("first_at"), .instant("last_at"), .party("actor"),
      .party("on_behalf_of"), .text("action"), .party("object"), .text("reason"), .integer("count"),
    ]
  )

  // MARK: Documents

  /// Few at a time, because each can have 256 KiB.
  private static let documentCountMax = 12

  private static let documents = [
    ExportSection(
      "documents",
      of: "document",
      where: "user_id = ?1",
      by: [.text("collection"), .text("id")],
      rowCountMax: documentCountMax,
      [
        .text("collection"), .text("id"), .instant("created_at"), .instant("updated_at"),
        .json("content", from: "document.json"),
      ]
    ),
    ExportSection(
      "legacy_documents",
      of: "legacy_document",
      where: "user_id = ?1",
      by: [.text("collection"), .text("id")],
      rowCountMax: documentCountMax,
      [.text("collection"), .text("id"), .json("content", from: "legacy_document.json")]
    ),
    ExportSection(
      "legacy_migrations",
      of: "legacy_migration",
      where: "user_id = ?1",
      by: [.text("user_id")],
      [
        .text("collection"), .text("document_id"), .integer("copied_count"),
        .integer("skipped_count"), .instant("started_at"), .instant("finished_at"),
      ]
    ),
  ]

  // MARK: Left out

  private static let ownID = "the user's own identifier, which the document has once"
  private static let order = "a number of the store, by which records are ordered"
  private static let ofTenants =
    "belongs to organizations, households and families, and names no user"
  private static let checksum = "worked out from the content"
  private static let secret = "a secret, or what a secret is compared with"

  private static let withheld = [
    "erased": "keyed digests of what was deleted, which name nobody",
    "entity": ofTenants,
    "past_entity": ofTenants,
    "entity_link": ofTenants,
    "past_link": ofTenants,
    "tombstone": ofTenants,
    "limit_count": ofTenants,
    "device_command": ofTenants,
    "past_policy": "the policies of the installation",
    "role_definition": "a role that an organization defined; that the user did it is in audit",
    "past_role_definition": "a role that an organization defined; that the user did it is in audit",
    "access_record": "the history of a device; what the user did with it is in audit",
    "invitation.updated_at": "when the inviter changed it last, which audit tells",
    "invitation.revision": order,
    "invitation.root_id": "the tree of the entity, which the invitation names",
    "invitation.mailed_at": "when AuthService took the mail",
    "invitation.letter_count": "how many mails were sent",
    "invitation.resent_since": "how often it was sent again within a day",
    "invitation.resent_count": "how often it was sent again within a day",
    "invitation.taken_by": "who has the role and has not used it, which the inviter must not learn",
    "invitation.taken_role": "as above; received_invitations tells the role",
    "invitation.taken_variant": "as above",
    "invitation.taken_association": "as above",
    "invitation.taken_revision": order,
    "device_claim": ofTenants,
    "invitation_mail":
      "the code of an invitation until its mail is handed over; invitations are exported",
    "role_review": "which roles an upgrade has yet to look at; roles are exported",
    "converted_role": "roles that became invitations; past_roles and the invitations tell them",
    "entity_deletion": "how far EntitlementService is; that the user deleted something is in audit",
    "ended_holder": ofTenants,
    "ended_family_part": ofTenants,
    "pairing_code": "lives for ten minutes; that the user issued one is in audit",
    "service_secret": secret,
    "webhook": "belongs to organizations and families; that the user made it is in audit",
    "webhook_event": "copies of what other systems hear; that it happened is in audit",
    "webhook_delivery": ofTenants,
    "webhook_attempt": ofTenants,
    "document_usage": "how many documents there are, and how large they are together",
    "legacy_seal": "nothing about users",
    "bridge": "nothing about users",
    "report_coverage": "nothing about users",
    "association.user_id": ownID,
    "association.added": order,
    "association.updated_at": "when the role was changed last; past_roles tells what it was before",
    "association.revision": order,
    "association.name_key": "by which lists of members are sorted; the account has the name",
    "person": "the display name of the account, which AuthService exports",
    "feed_position": "nothing about users",
    "association_history.user_id": ownID,
    "association_history.sequence": order,
    "association_history.ended_revision": order,
    "association_history.root_id": "the root of the tree that entity_id is in",
    "account_state": "what AuthService said of the account, which tells it itself",
    "suspension.user_id": ownID,
    "suspension.revision": order,
    "past_suspension.user_id": ownID,
    "past_suspension.sequence": order,
    "invitation.email": "somebody else's address, or the user's own, which the account has",
    "invitation.email_key": "somebody else's address, or the user's own, which the account has",
    "invitation.inviter_acr": "how the inviter was signed in",
    "invitation.replaces_window": "what becomes of a role that the invitee already has",
    "invitation.made_for": "the role of an organization's own, as it was; the role is exported",
    "invitation.made_at": order,
    "invitation.code_key": secret,
    "invitation.code_digest": secret,
    "pairing.user_id": ownID,
    "refusal.hour": "the hour of first_at",
    "document.user_id": ownID,
    "document.revision": order,
    "document.digest": checksum,
    "document.byte_count": checksum,
    "legacy_document.user_id": ownID,
    "legacy_document.digest": checksum,
    "legacy_document.byte_count": checksum,
    "legacy_migration.user_id": ownID,
  ]
}
